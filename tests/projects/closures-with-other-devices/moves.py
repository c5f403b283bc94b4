# The inner function reads the device two scopes further out, where it is another one the second time.
import torch


def run(work):
    return work()


def mover(device):
    def move(tensor):
        def work():
            return tensor.to(device)  # ~ missing-visible-devices warning

        return run(work)

    return move


tensor = torch.zeros(4)
on_cpu = mover("cpu")
for _ in range(3):
    mover("cpu")(tensor)
on_cpu(tensor)
on_cpu(tensor)
on_card = mover("cuda:1")  # ~ device-not-allowed warning
on_card(tensor)
