import hydra
import torch


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    torch.ones(cfg.size).cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    main()
