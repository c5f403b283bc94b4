import os, operator
operator.setitem(os.environ, "CUDA_VISIBLE_DEVICES", "1")
