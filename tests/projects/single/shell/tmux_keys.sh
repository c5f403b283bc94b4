tmux send-keys -t train 'CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python train.py' C-m
tmux send-keys -t other 'python train.py' Enter
