SET cuda_visible_devices=1
REM # ~^ missing-device-order warning
PYTHON.EXE train.py
