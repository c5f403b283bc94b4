"""CUDA's driver and NVML, asked through ctypes: what they know of this process, without making it use a GPU.

CUDA is asked only where something else has loaded its driver into this process, and only questions that a driver answers with an
error as long as nobody has called cuInit. NVML never touches CUDA.
"""

import ctypes
import os
import sys

NOT_AVAILABLE = 2**64 - 1


def _loaded(name):
    """The library, if this process has loaded it already."""
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        kernel.GetModuleHandleW.restype = ctypes.c_void_p
        return ctypes.WinDLL(name) if kernel.GetModuleHandleW(name) else None
    if not hasattr(os, "RTLD_NOLOAD"):
        return None
    try:
        return ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return None


def uuid_of(octets):
    text = bytes(octets).hex()
    return "GPU-" + "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class Cuda:
    """The driver of this process."""

    def __init__(self):
        self._library = None
        self._uuids = {}

    def _count(self):
        """How many GPUs the process sees; None while nobody has initialised CUDA in it."""
        if self._library is None:
            self._library = _loaded("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        if self._library is None:
            return None
        count = ctypes.c_int(0)
        return count.value if self._library.cuDeviceGetCount(ctypes.byref(count)) == 0 else None

    def initialised(self):
        return self._count() is not None

    def in_use(self):
        """The ordinals of the GPUs on which the process has its primary context."""
        device, flags, active = ctypes.c_int(0), ctypes.c_uint(0), ctypes.c_int(0)
        ordinals = []
        for ordinal in range(self._count() or 0):
            self._library.cuDeviceGet(ctypes.byref(device), ordinal)
            answer = self._library.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active))
            if answer == 0 and active.value:
                ordinals.append(ordinal)
        return ordinals

    def uuid(self, ordinal):
        """That of a GPU which the process sees, as NVML has it; None if the driver does not tell."""
        if ordinal not in self._uuids:
            octets, device = (ctypes.c_ubyte * 16)(), ctypes.c_int(0)
            self._library.cuDeviceGet(ctypes.byref(device), ordinal)
            ask = getattr(self._library, "cuDeviceGetUuid_v2", None) or getattr(self._library, "cuDeviceGetUuid", None)
            told = ask is not None and ask(octets, device) == 0
            self._uuids[ordinal] = uuid_of(octets) if told else None
        return self._uuids[ordinal]

    def visible(self):
        """The UUIDs of all GPUs that the process sees, in CUDA's order."""
        return [self.uuid(ordinal) for ordinal in range(self._count() or 0)]


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu", ctypes.c_uint), ("compute", ctypes.c_uint)]


class _Pci(ctypes.Structure):
    _fields_ = [
        ("legacy", ctypes.c_char * 16),
        ("domain", ctypes.c_uint),
        ("bus", ctypes.c_uint),
        ("device", ctypes.c_uint),
        ("ids", ctypes.c_uint * 2),
        ("address", ctypes.c_char * 32),
    ]


class Nvml:
    """NVML. `missing` says why it cannot be asked, or is None."""

    def __init__(self):
        self._handles, self._library, self.missing = {}, None, None
        name = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
        try:
            library = ctypes.CDLL(name)
            answer = library.nvmlInit_v2()
        except (OSError, AttributeError):
            self.missing = "there is no NVML (%s)" % name
            return
        if answer != 0:
            self.missing = "NVML cannot be asked (error %d)" % answer
            return
        self._library = library

    def _call(self, name, *arguments):
        """Whether it answered."""
        function = getattr(self._library, name, None)
        return function is not None and function(*arguments) == 0

    def _handle(self, uuid):
        if uuid not in self._handles:
            handle = ctypes.c_void_p()
            told = uuid and self._call("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(handle))
            self._handles[uuid] = handle if told else None
        return self._handles[uuid]

    def used(self, uuid):
        """Bytes of the card that are in use, by whomever; None if it is not told."""
        memory, handle = _Memory(), self._handle(uuid)
        if handle is None or not self._call("nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory)):
            return None
        # What `used` counts depends on the version of the driver; what is free does not.
        return memory.total - memory.free

    def processes(self, uuid):
        """The bytes that each process has on the card, None for what is not told; None if the processes are not told."""
        handle = self._handle(uuid)
        if handle is None:
            return None
        count, found = ctypes.c_uint(256), (_Process * 256)()
        for name in ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"):
            if self._call(name, handle, ctypes.byref(count), found):
                told = found[: count.value]
                return {one.pid: None if one.used == NOT_AVAILABLE else one.used for one in told}
        return None

    def cards(self):
        """The UUIDs of all cards of the machine, in the order of their PCI addresses."""
        count = ctypes.c_uint(0)
        if self._library is None or not self._call("nvmlDeviceGetCount_v2", ctypes.byref(count)):
            return []
        cards = []
        for index in range(count.value):
            handle, pci, uuid = ctypes.c_void_p(), _Pci(), ctypes.create_string_buffer(96)
            if (
                self._call("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(handle))
                and self._call("nvmlDeviceGetPciInfo_v3", handle, ctypes.byref(pci))
                and self._call("nvmlDeviceGetUUID", handle, uuid, 96)
            ):
                cards.append(((pci.domain, pci.bus, pci.device), uuid.value.decode()))
        return [uuid for _, uuid in sorted(cards)]
