import os
import torch
import queue, threading
q = queue.Queue()
def work():
    while True:
        item = q.get()
        if item is None:
            break
        item()
def use():
    torch.cuda.init()
t = threading.Thread(target=work)
t.start()
q.put(use)
q.put(None)
t.join()
