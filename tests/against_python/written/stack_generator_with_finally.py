import contextlib, os
import torch
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
@contextlib.contextmanager
def managed():
    before = os.environ.get("CUDA_VISIBLE_DEVICES")
    try:
        yield
    finally:
        if before is None:
            pass
        else:
            os.environ["CUDA_VISIBLE_DEVICES"] = before
with contextlib.ExitStack() as stack:
    stack.enter_context(managed())
    del os.environ["CUDA_VISIBLE_DEVICES"]
if os.environ.get("CUDA_VISIBLE_DEVICES"):
    torch.cuda.init()
