import functools
import os


def on_card(mask):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
            os.environ.setdefault("CUDA_VISIBLE_DEVICES", mask)
            return function(*args, **kwargs)

        return wrapper

    return decorate


@on_card("1")
def main():
    import torch

    torch.cuda.set_device(1)  # ~ device-outside-mask error


if __name__ == "__main__":
    main()
