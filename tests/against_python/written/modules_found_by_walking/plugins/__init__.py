HOOKS = []
def run():
    for h in HOOKS:
        h()
