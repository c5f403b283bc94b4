export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order warning
singularity exec --nv --bind /data image.sif python train.py
