from market.data import load
