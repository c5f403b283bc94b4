import importlib
_BACKENDS = {"gpu": "tools.gpu_backend", "cpu": "tools.cpu_backend"}
_cache = {}
def get(name):
    if name not in _cache:
        _cache[name] = importlib.import_module(_BACKENDS[name])
    return _cache[name]
