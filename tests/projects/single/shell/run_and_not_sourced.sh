bash ./env.sh
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
