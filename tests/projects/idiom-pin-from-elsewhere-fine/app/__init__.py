"""The tools; the card is chosen before anything else in the package runs."""
from . import card
