"""Trains the small voice model on random data, as a smoke test of the training loop."""

import gpu_env  # noqa: F401  (first: it chooses the card)

import torch
from torch import nn


def main(steps=20):
    device = torch.device("cuda:0")
    model = nn.Linear(80, 80).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    total = 0.0
    for _ in range(steps):
        batch = torch.randn(32, 80, device=device)
        loss = nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"mean loss {total / steps:.4f}")


if __name__ == "__main__":
    main()
