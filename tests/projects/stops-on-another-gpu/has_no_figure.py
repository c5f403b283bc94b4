# A table has no figure for this GPU and format: no other one is wished for.
import torch

FIGURES = {"a100": {"bf16": 312}, "t4": {"fp16": 65}}


def figure(precision):
    name = torch.cuda.get_device_name(0).lower()
    if "a100" in name:
        name = "a100"
    elif "t4" in name:
        name = "t4"
    else:
        name = None
    if name is not None:
        try:
            return FIGURES[name][precision]
        except KeyError:
            raise KeyError(f"no figure for {name} with {precision}")
    return None


print(figure("bf16"))
weights = torch.zeros(4, device="cuda")  # ~ missing-visible-devices note
