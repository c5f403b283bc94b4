from model.net import Net

if __name__ == "__main__":
    net = Net().cuda()  # ~ missing-visible-devices note
