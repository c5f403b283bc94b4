def main():
    import torch  # ~ missing-visible-devices error, missing-device-order error

    torch.ones(2).cuda()


if __name__ == "__main__":
    main()
