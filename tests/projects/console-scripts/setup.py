from setuptools import setup

setup(name="tool", packages=["tool"], entry_points={"console_scripts": ["tool-train=tool.train:main"]})
