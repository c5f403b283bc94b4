"""Models in evaluation mode."""

import torch
from torch import no_grad


class Trainer:
    def validate(self, loader):
        self.model.eval()
        losses = []
        for x, y in loader:
            losses.append(self.criterion(self.model(x), y).item())  # ~ eval-without-no-grad note
        return losses

    @no_grad()
    def validate_well(self, loader):
        self.model.eval()
        return [self.model(x) for x, y in loader]

    def fit(self, epochs, loader, held_out):
        for epoch in range(epochs):
            self.model.train()
            for x in loader:
                self.model(x).sum().backward()
            self.model.eval()
            with torch.inference_mode():
                for x in held_out:
                    self.model(x)


def predict(net, loader):
    net.eval()
    torch.set_grad_enabled(False)
    for x in loader:
        yield net(x)


def generate(model, prompts):
    model.eval()
    for prompt in prompts:
        yield model.generate(prompt)


def attack(model, images):
    model.eval()
    for image in images:
        image.requires_grad = True
        grad = torch.autograd.grad(model(image).sum(), image)
        yield image + grad[0].sign()


def once(model, x):
    model.eval()
    return model(x)


def frames(table):
    for row in table:
        yield table.eval("a + b")(row)
