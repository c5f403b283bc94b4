"""Set CUDA_VISIBLE_DEVICES before torch.cuda.is_available()."""
import re

PATTERN = re.compile(r"torch\.cuda\.is_available\(\)")
TEMPLATE = '''
import torch
torch.zeros(1).cuda()
'''
print("os.environ['CUDA_VISIBLE_DEVICES'] = '0'")
