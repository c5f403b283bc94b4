import sys

if sys.version_info >= (3, 11):
    from . import fast
