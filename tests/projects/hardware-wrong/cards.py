import torch
A = {"8.6": "Ada Lovelace"}  # ~ capability-architecture-mismatch error
B = {86: "Turing"}  # ~ capability-architecture-mismatch error
C = [((8, 9), "Hopper"), ((9, 0), "Hopper")]  # ~ capability-architecture-mismatch error
def a(cc):
    return {90: "Blackwell", 89: "Ada"}.get(cc, "unknown")  # ~ capability-architecture-mismatch error
def b():
    cap = torch.cuda.get_device_capability(0)
    if cap[0] == 9:
        arch = "Blackwell"  # ~ capability-architecture-mismatch error
    elif cap == (8, 9):
        arch = "Ampere"  # ~ capability-architecture-mismatch error
    elif cap[0] == 8 and cap[1] in (0, 6):
        arch = "Ada"  # ~ capability-architecture-mismatch error
    else:
        arch = "old"
    return arch
def c(props):
    sm = props.major * 10 + props.minor
    if sm >= 120:
        return "Hopper"  # ~ capability-architecture-mismatch error
    match sm:
        case 86:
            return "Ada"  # ~ capability-architecture-mismatch error
        case 89:
            return "Ada"
def d(cc: str):
    if cc == "8.6":
        print("Ada Lovelace")  # ~ capability-architecture-mismatch error
    name = "Hopper" if cc == "8.9" else "other"  # ~ capability-architecture-mismatch error
    return name
class Arch:
    TURING = 75
    AMPERE = 80
    ADA = 86  # ~ capability-architecture-mismatch error
    HOPPER = 90
SPEC = dict(name="RTX 3090", cc="8.6", arch="Ada", vram=24)  # ~ capability-architecture-mismatch error
GPUS = [{"name": "RTX 4090", "compute_capability": 8.9, "architecture": "Ampere"}]  # ~ capability-architecture-mismatch error
def e():
    """Return the tile size.

    Hopper (compute capability 8.9) uses larger tiles.
    """
    # ~^^ capability-architecture-mismatch warning
# A100 is Volta
# ~^ gpu-spec-mismatch warning
# RTX 4090 (Ampere, sm_89)
# ~^ capability-architecture-mismatch warning
# Turing: sm_80
# ~^ capability-architecture-mismatch warning
# L4 has 48 GB
# ~^ gpu-spec-mismatch warning
def has_bf16():
    major, _ = torch.cuda.get_device_capability()
    return major >= 7  # ~ feature-gate-wrong warning
def f(model):
    cap = torch.cuda.get_device_capability()
    if cap >= (7, 5):  # ~ feature-gate-wrong warning
        model = model.to(torch.bfloat16)
    if cap[0] >= 7:  # ~ feature-gate-wrong warning
        torch.backends.cuda.matmul.allow_tf32 = True  # ~ legacy-tf32-switch note
    kwargs = {"attn_implementation": "flash_attention_2" if cap >= (7, 5) else "sdpa"}  # ~ feature-gate-wrong warning
    if cap < (8, 0):
        return None
    return torch.float8_e4m3fn if cap >= (8, 0) else torch.bfloat16  # ~ feature-gate-wrong warning
is_ada = torch.cuda.get_device_capability() == (8, 6)  # ~ capability-architecture-mismatch error
if torch.cuda.get_device_capability() >= (8, 6) and torch.cuda.is_available():
    print("Ada GPU detected")  # ~ capability-architecture-mismatch error
ARCH_BY_CC = {"sm_75": Arch.AMPERE, "sm_90": Arch.HOPPER}  # ~ capability-architecture-mismatch error
MIN_CC_FOR_BF16 = (7, 0)  # ~ feature-gate-wrong warning
FEATURES = {"bf16": (7, 0), "fp8": (8, 9)}  # ~ feature-gate-wrong warning
