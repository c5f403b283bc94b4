from importlib import import_module as load

torch = load("torch")
torch.cuda.current_device()  # ~ missing-visible-devices warning
