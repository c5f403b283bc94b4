env.bat
python -c "import torch; torch.cuda.init()"
