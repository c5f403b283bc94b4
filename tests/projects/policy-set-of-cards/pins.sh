# The mask is set in the program, so that the policy says how many cards there are.
torchrun --nproc-per-node=2 pins.py
torchrun --nproc-per-node=3 pins.py  # ~ ranks-beyond-mask error
