from performance.signals import moving_average
from .gpu import to_gpu
