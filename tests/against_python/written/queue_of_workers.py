import os
import torch
import queue, threading
q = queue.Queue()
results = []
def worker():
    while True:
        task = q.get()
        if task is None:
            q.task_done()
            break
        task()
        q.task_done()
threads = [threading.Thread(target=worker, daemon=True) for _ in range(2)]
for t in threads: t.start()
q.put(lambda: torch.cuda.init())
for t in threads: q.put(None)
q.join()
for t in threads: t.join()
torch.cuda.current_device()
