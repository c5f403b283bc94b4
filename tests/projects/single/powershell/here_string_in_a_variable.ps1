$code = @'
import torch
torch.cuda.init()  # ~ missing-visible-devices warning
'@
python -c $code
