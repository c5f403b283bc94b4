echo "not here"
exit 1
python -c "import torch; torch.cuda.init()"
