import os
import subprocess
import sys

os.system("CUDA_VISIBLE_DEVICES=all python evaluate.py")  # ~ visible-devices-hides-all error
os.popen("CUDA_VISIBLE_DEVICES=cuda:0 python evaluate.py")  # ~ visible-devices-hides-all error
subprocess.run("CUDA_VISIBLE_DEVICES=[0,1] python evaluate.py", shell=True, check=True)  # ~ visible-devices-hides-all error
subprocess.getoutput("export CUDA_VISIBLE_DEVICES=0,0; python evaluate.py")  # ~ visible-devices-hides-all error
subprocess.check_call(["bash", "-c", "CUDA_VISIBLE_DEVICES=none python evaluate.py"])  # ~ visible-devices-hides-all error
subprocess.Popen(["env", "CUDA_VISIBLE_DEVICES=all", sys.executable, "evaluate.py"])  # ~ visible-devices-hides-all error
