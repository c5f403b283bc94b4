class Backend:
    def __init__(self):
        import cupy  # ~ gpu-import-in-cpu-mode error

        self.xp = cupy


backend = Backend()
