import os, state as st
st.settings.mask = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = st.settings.mask
