python -c "import os; os.environ['CUDA_VISIBLE_DEVICES'] = '$GPU'; import torch; torch.cuda.init()"
