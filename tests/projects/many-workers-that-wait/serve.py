import queue
import threading

import torch

jobs = queue.Queue()


def work_0():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_1():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_2():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_3():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_4():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_5():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_6():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_7():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_8():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_9():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_10():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_11():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_12():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_13():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_14():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


def work_15():
    job = jobs.get()
    helper = threading.Thread(target=print, args=(job,))
    helper.start()
    helper.join()


threading.Thread(target=work_0).start()
threading.Thread(target=work_1).start()
threading.Thread(target=work_2).start()
threading.Thread(target=work_3).start()
threading.Thread(target=work_4).start()
threading.Thread(target=work_5).start()
threading.Thread(target=work_6).start()
threading.Thread(target=work_7).start()
threading.Thread(target=work_8).start()
threading.Thread(target=work_9).start()
threading.Thread(target=work_10).start()
threading.Thread(target=work_11).start()
threading.Thread(target=work_12).start()
threading.Thread(target=work_13).start()
threading.Thread(target=work_14).start()
threading.Thread(target=work_15).start()
jobs.put(1)
jobs.join()
torch.ones(2, device="cuda")  # ~ missing-visible-devices warning
