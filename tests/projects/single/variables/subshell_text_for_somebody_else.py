import os
import subprocess

HELP = "export CUDA_VISIBLE_DEVICES=1"
print(HELP)
subprocess.run(["cat"], input=HELP, text=True)
os.system("grep 'export CUDA_VISIBLE_DEVICES=1' run.sh")
