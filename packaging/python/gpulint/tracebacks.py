"""Lets go of what failures hold: the locals of the frames that led to them, and with them tensors."""

import sys


def release_last():
    """Of the last failure, which Python and pytest keep in sys.last_*."""
    _frames(getattr(sys, "last_traceback", None))
    for name in ("last_exc", "last_value"):
        release(getattr(sys, name, None))


def release(error):
    """Of an exception, and of those that led to it."""
    errors, seen = [error], set()
    while errors:
        error = errors.pop()
        if isinstance(error, BaseException) and id(error) not in seen:
            seen.add(id(error))
            _frames(error.__traceback__)
            errors.extend((error.__cause__, error.__context__, *getattr(error, "exceptions", ())))


def _frames(entry):
    while entry is not None:
        try:
            entry.tb_frame.clear()
        except RuntimeError:
            # One that runs still.
            pass
        else:
            # Before Python 3.13 a frame keeps a copy of its locals once somebody has asked for them, and updates it here.
            entry.tb_frame.f_locals
        entry = entry.tb_next
