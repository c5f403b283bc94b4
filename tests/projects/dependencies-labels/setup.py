from setuptools import find_packages, setup

GPU = ["torch>=2.0+cu118"]  # ~ local-version-range error

setup(
    name="detector",
    packages=find_packages(),
    install_requires=["numpy", "torch!=2.0+cu118,>=1.13+cu117"],  # ~ local-version-range error
    extras_require={"gpu": GPU, "test": ["pytest"]},
)
