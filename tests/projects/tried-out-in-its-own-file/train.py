from model.net import Net

net = Net().cuda()  # ~ missing-visible-devices warning
