python -c "import os; os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"; import torch; torch.cuda.init()"  # ~ missing-device-order warning
