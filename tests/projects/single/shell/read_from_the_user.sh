GPU=0
read -r -p "which card? " GPU
export CUDA_VISIBLE_DEVICES=$GPU
python train.py
