"""Which tensors are alive, and what holds them."""

import gc
import sys
import types

from gpulint.texts import short

# A search for what holds a tensor looks at all objects at each step.
STEPS = 8


def _types():
    """(framework, type) of what is a tensor."""
    for name, of in (("torch", "Tensor"), ("cupy", "ndarray")):
        kind = getattr(sys.modules.get(name), of, None)
        if isinstance(kind, type):
            yield name, kind


def tensors():
    """All tensors on a GPU that Python holds, by what tells them apart: id and address. Views of one storage are one."""
    kinds = list(_types())
    found, storages = {}, set()
    for candidate in gc.get_objects():
        # Not isinstance, which asks proxies for the class of what they stand for.
        name = next((name for name, kind in kinds if issubclass(type(candidate), kind)), None)
        if name is None:
            continue
        for one in (candidate, _gradient(candidate) if name == "torch" else None):
            described = _described(name, one) if one is not None else None
            if described and described["address"] not in storages:
                storages.add(described["address"])
                found[id(one), described["address"]] = (one, described)
    jax = sys.modules.get("jax")
    if getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", None) and hasattr(jax, "live_arrays"):
        try:
            for one in jax.live_arrays():
                platforms = {device.platform for device in one.devices()}
                if platforms & {"gpu", "cuda", "rocm"}:
                    devices = ", ".join(sorted(str(device) for device in one.devices()))
                    found[id(one), 0] = (one, _description("jax", one.shape, one.dtype, devices, one.nbytes, 0))
        except Exception:  # Arrays that were deleted, or another version.
            pass
    return found


def _gradient(tensor):
    try:
        return tensor.grad if tensor.is_leaf else None
    except Exception:
        return None


def _described(name, one):
    try:
        if name == "torch":
            if not one.is_cuda or type(one).__module__.startswith("torch._subclasses"):
                return None
            storage = one.untyped_storage()
            return _description(name, one.shape, one.dtype, str(one.device), storage.nbytes(), storage.data_ptr())
        base = one.data.mem
        return _description(name, one.shape, one.dtype, "cuda:%d" % one.device.id, base.size, base.ptr)
    except Exception:  # One that has no storage, or was moved.
        return None


def _description(framework, shape, dtype, device, size, address):
    dtype = str(dtype).replace("torch.", "")
    return {"framework": framework, "shape": [int(n) for n in shape], "dtype": dtype, "device": device, "bytes": int(size), "address": address}


def new(before, most=10, with_holder=3):
    """The tensors that are alive and were not before, the largest first, as documents, and how many there are."""
    now = tensors()
    fresh = sorted((value for key, value in now.items() if key not in before), key=lambda value: -value[1]["bytes"])
    count = len(fresh)
    ours = {id(now), id(fresh), id(before)} | {id(value) for value in now.values()}
    documents = []
    for index, (one, described) in enumerate(fresh[:most]):
        described.pop("address")
        if index < with_holder:
            described["held_by"] = _holder(one, ours)
        documents.append(described)
    return documents, count


def in_words(document):
    text = "%s[%s] %s on %s" % (document["dtype"], ", ".join(map(str, document["shape"])), document["framework"], document["device"])
    return text + (", held by " + document["held_by"] if document.get("held_by") else "")


def _holder(one, ours):
    """Of what holds it, what has a name: `KEPT` of test_model.py."""
    modules = {id(vars(module)): module for module in list(sys.modules.values()) if isinstance(module, types.ModuleType)}
    me = sys._getframe()
    skipped = set(ours) | {id(me), id(me.f_back), id(modules)}
    targets, seen, fallback = [one], {id(one)}, None
    path = {}
    for _ in range(STEPS):
        referrers = gc.get_referrers(*targets)
        skipped.update((id(targets), id(referrers)))
        above = []
        for referrer in referrers:
            key = id(referrer)
            if key in seen or key in skipped or (isinstance(referrer, types.FrameType) and referrer.f_code.co_filename == __file__):
                continue
            seen.add(key)
            target = next((target for target in targets if _refers(referrer, target)), None)
            path[key] = target
            if key in modules:
                return "`%s` of %s" % (_name_in(referrer, target), _file(modules[key]))
            if isinstance(referrer, type):
                return "class `%s`" % referrer.__qualname__
            if isinstance(referrer, types.FunctionType) and fallback is None:
                fallback = "function `%s`" % referrer.__qualname__
            if isinstance(referrer, types.FrameType) and fallback is None:
                fallback = "the locals of `%s` (%s:%d)" % (referrer.f_code.co_name, short(referrer.f_code.co_filename), referrer.f_lineno)
            above.append(referrer)
        if not above:
            break
        # More than this is no chain but a crowd.
        targets = above[:64]
    return fallback


def _refers(referrer, target):
    return any(one is target for one in gc.get_referents(referrer))


def _name_in(space, target):
    return next((str(name) for name, value in list(space.items()) if value is target), "?")


def _file(module):
    file = getattr(module, "__file__", None)
    return short(file) if file else module.__name__

