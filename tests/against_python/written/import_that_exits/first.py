import os
import last
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
