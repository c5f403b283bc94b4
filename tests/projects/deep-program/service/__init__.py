"""The service."""

from service._env import setup as _setup

_setup()
del _setup
