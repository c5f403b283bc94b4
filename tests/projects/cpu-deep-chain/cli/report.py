def main():
    from core import engine

    return engine.run()
