from importlib import import_module as load

torch = load("torch")
torch.cuda.init()  # ~ missing-visible-devices warning
