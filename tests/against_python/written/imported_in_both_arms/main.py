import os, sys
if len(sys.argv) > 2:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    import north
else:
    import north
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
