echo "export CUDA_VISIBLE_DEVICES=0,1"
printf "CUDA_VISIBLE_DEVICES=%s\n" 1
echo "CUDA_VISIBLE_DEVICES=1" >> settings.txt
