import subprocess

COMMANDS = "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=1\n"
subprocess.Popen(COMMANDS, shell=True, executable="/bin/bash").wait()  # ~ gpu-env-in-subshell error
subprocess.run("true && export CUDA_VISIBLE_DEVICES=1", shell=True)  # ~ gpu-env-in-subshell error
