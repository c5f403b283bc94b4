from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="kernels",
    ext_modules=[CUDAExtension("kernels", ["kernels.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
