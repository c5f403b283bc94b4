import os, functools
class C:
    @functools.cached_property
    def value(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return "1"
c = C()
c.value
os.environ["CUDA_VISIBLE_DEVICES"] = "2"
c.value
