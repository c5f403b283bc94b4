import os
import torch
class Hook:
    def before_run(self, r): pass
    def after_run(self, r): pass
class Gpu(Hook):
    priority = 10
    def before_run(self, r):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
class Use(Hook):
    priority = 50
    def before_run(self, r):
        torch.cuda.init()
    def after_run(self, r):
        torch.cuda.current_device()
class Runner:
    def __init__(self):
        self._hooks = []
    def register(self, hook):
        for i in range(len(self._hooks) - 1, -1, -1):
            if hook.priority >= self._hooks[i].priority:
                self._hooks.insert(i + 1, hook)
                break
        else:
            self._hooks.insert(0, hook)
    def call_hook(self, name):
        for h in self._hooks:
            getattr(h, name)(self)
    def run(self):
        self.call_hook("before_run")
        torch.zeros(1).cuda()
        self.call_hook("after_run")
r = Runner()
r.register(Use())
r.register(Gpu())
r.run()
