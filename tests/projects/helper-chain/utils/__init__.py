from .gpu import bootstrap
