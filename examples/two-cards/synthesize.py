"""Fills a batch of noise vectors through a small vocoder and reports the time it took."""

import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import time

import torch


def vocoder():
    return torch.nn.Sequential(
        torch.nn.ConvTranspose1d(80, 64, kernel_size=16, stride=8),
        torch.nn.LeakyReLU(0.1),
        torch.nn.ConvTranspose1d(64, 1, kernel_size=16, stride=8),
        torch.nn.Tanh(),
    )


def main():
    model = vocoder().to("cuda:0").eval()
    mel = torch.randn(8, 80, 200, device="cuda:0")
    with torch.inference_mode():
        started = time.perf_counter()
        audio = model(mel)
        torch.cuda.synchronize()
    print(f"{audio.shape[-1]} samples in {time.perf_counter() - started:.3f} s")


if __name__ == "__main__":
    main()
