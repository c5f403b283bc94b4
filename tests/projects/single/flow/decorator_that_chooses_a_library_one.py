import torch


def without_gradients():
    def decorate(function):
        return (torch.inference_mode if hasattr(torch, "inference_mode") else torch.no_grad)()(function)

    return decorate


@without_gradients()
def run():
    torch.zeros(1).cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    run()
