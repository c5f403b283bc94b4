import os, random, sys, torch
class M:
    state = "idle"
    def step(self):
        if self.state == "idle":
            self.state = "warm"
        elif self.state == "warm":
            self.state = "hot"
        elif self.state == "hot":
            os.environ["CUDA_VISIBLE_DEVICES"] = "hot"
            torch.cuda.init()
m = M()
for _ in range(len(sys.argv) + 1):
    m.step()
