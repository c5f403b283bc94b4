from . import __name__ as name
from ... import missing
