import threading

import torch


def work():
    torch.ones(1).cuda()  # ~ missing-visible-devices warning


thread = threading.Thread(target=work)
thread.start()
thread.join()
