GPU=0
while read -r GPU; do
    CUDA_VISIBLE_DEVICES=$GPU python train.py
done < gpus.txt
