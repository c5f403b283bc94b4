REQUIREMENTS = ["torch>=2.0+cu118"]
print("pip install 'torch>=2.0+cu118'", REQUIREMENTS)
