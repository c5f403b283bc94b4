import torch


class Registry(dict):
    def register(self, name):
        def decorator(function):
            self[name] = function
            return function

        return decorator


MODELS = Registry()


@MODELS.register("first")
def first():
    torch.cuda.init()


@MODELS.register("second")
def second():
    torch.cuda.current_device()


MODELS["first"]()
if "second" in MODELS:
    MODELS.get("second")()
MODELS.pop("second")
if "second" in MODELS:
    torch.zeros(1).cuda()
