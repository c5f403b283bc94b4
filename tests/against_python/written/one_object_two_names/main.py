import os, state as st
from state import CONF
CONF["mask"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = st.CONF["mask"]
