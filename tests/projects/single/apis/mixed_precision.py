import torch
from torch.cuda.amp import GradScaler as Scaler  # the import alone says nothing
from torch.cuda import amp

USE = torch.cuda.is_available  # ~ availability-check-not-called error


def steps(model, loader, optimizer, mixed):
    scaler = Scaler(enabled=mixed)  # ~ deprecated-amp-api warning
    for batch in loader:
        with amp.autocast(enabled=mixed):  # ~ deprecated-amp-api warning
            loss = model(batch).sum()
        scaler.scale(loss).backward()
    with torch.autocast("cuda", dtype=torch.float8_e5m2):  # ~ unsupported-autocast-dtype error
        model(batch)
    with torch.autocast("cuda", dtype=torch.bfloat16 if mixed else torch.float16):
        model(batch)
    torch.set_float32_matmul_precision("hi")  # ~ unknown-matmul-precision error
    torch.set_float32_matmul_precision("medium")
    return "cuda" if USE else "cpu"
