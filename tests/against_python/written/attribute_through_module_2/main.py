import os, state as st
st.S.mask = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = st.S().mask
