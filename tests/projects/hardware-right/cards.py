import torch
A = {"8.6": "Ampere", "8.9": "Ada Lovelace", "9.0": "Hopper", "12.0": "Blackwell"}
BATCH = {"Ada": 24, "Blackwell": 90, "Hopper": 80, "Ampere": 20}
B = {7: "Volta", 8: "Ampere", 9: "Hopper", 10: "Blackwell"}
def a():
    cap = torch.cuda.get_device_capability()
    if cap >= (9, 0):
        print("using Hopper kernels")
    elif cap >= (8, 0):
        print("falling back to Ampere kernels")
    if cap[0] < 8:
        raise RuntimeError("needs Ampere or newer")
    return torch.bfloat16
def b(major, minor):
    if major == 8 and minor >= 9:
        return "Ada"
    if major == 8:
        return "Ampere"
    if major >= 10:
        return "Blackwell"
    return "Hopper" if major == 9 else "old"
def needs_marlin(cap):
    return cap >= (8, 0)
def c(cap):
    # Hopper is sm_90, not sm_89
    # Blackwell needs CUDA 12.8; Ampere (8.x)
    # sm_80 kernels also run on Ada and Hopper
    # Ampere+ (A100, RTX 3090, RTX 4090)
    # older than Ampere: 7.5
    # RTX 3090 / A100 (Ampere)
    # tested on RTX 3090 (24GB) and A100 (80GB), 4x A100 160GB
    # 2x RTX 3090, 16 GB used
    # Ada and Hopper (8.9, 9.0)
    # FP8: Ada Lovelace (8.9), Hopper (9.0)
    # speedup of Hopper over Ampere: 3.0
    return cap
def dtype(cap):
    if cap[0] >= 8:
        return torch.bfloat16
    if cap[0] >= 7:
        return torch.float16
    return torch.float32
def d(cap, dtype):
    if cap[0] >= 7 and dtype == torch.bfloat16:
        raise ValueError("no bfloat16 here")
    if cap[0] >= 7:
        print("bf16")
def supported(major, log):
    if major < 8:
        log.warning("inference is only supported on Ampere and newer architectures")
        print(f"capability {major}.x: this build requires Ampere or newer")
    if major < 6:
        log.warning("Pascal is the minimum here")
