from setuptools import setup

# install_requires=["torch>=2.0+cu118"]
MESSAGE = "pip install 'torch>=2.0+cu118'"


def torch_requirement(cuda):
    return f"torch>=2.0+{cuda}"


setup(name="detector", install_requires=[torch_requirement("cu118"), "torch==2.0.0+cu118"], description=MESSAGE)
