import importlib
from types import ModuleType


class _LazyModule(ModuleType):
    def __init__(self, name, file, structure):
        super().__init__(name)
        self._modules = {part: module for module, parts in structure.items() for part in parts}
        self.__path__ = [file.rpartition("/")[0]]

    def __getattr__(self, name):
        module = importlib.import_module("." + self._modules[name], self.__name__)
        return getattr(module, name)
