export CUDA_VISIBLE_DEVICES=all  # ~ visible-devices-hides-all error
python job.py
