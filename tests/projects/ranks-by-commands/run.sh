# torchrun --nnodes=2 --nproc_per_node=8 once.py
echo "torchrun --nproc_per_node=2 --nnodes=2 once.py"
python once.py
NODES=2
torchrun --nnodes "$NODES" --nproc_per_node 8 everywhere.py
torchrun --nproc_per_node 4 named.py
