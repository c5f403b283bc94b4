"""Losses, added up."""

from collections import defaultdict

import torch
from torch import nn


def with_scaler(model, loader, scaler, optimizer):
    running_loss = 0.0
    for inputs, labels in loader:
        with torch.autocast("cuda"):
            loss = model(inputs, labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        running_loss += loss * inputs.size(0)  # ~ loss-keeps-graph warning
    return running_loss


def of_an_output(model, loader):
    total = torch.zeros(1)
    for batch in loader:
        outputs = model(**batch)
        outputs.loss.backward()
        total += outputs.loss  # ~ loss-keeps-graph warning
    return total


def by_phase(model, loaders, criterion):
    sums = defaultdict(float)
    for phase in ("train", "val"):
        for x, y in loaders[phase]:
            with torch.set_grad_enabled(phase == "train"):
                loss = criterion(model(x), y)
                if phase == "train":
                    loss.backward()
            sums[phase] += loss  # ~ loss-keeps-graph warning


def in_place(model, loader):
    total = torch.zeros(1)
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        total = loss + total  # ~ loss-keeps-graph warning


def two_networks(generator, critic, loader):
    shown = {"g": 0, "d": 0}
    for real in loader:
        d_loss = critic(real)
        d_loss.backward()
        g_loss = generator(real)
        g_loss.backward()
        shown["g"] += g_loss.item()
        shown["d"] += d_loss.detach().cpu()


def accumulated_in_parts(model, loader, optimizer):
    shown = 0.0
    for parts in loader:
        optimizer.zero_grad()
        loss = 0.0
        for part in parts:
            loss += model(part)
        loss = loss / len(parts)
        loss = loss + 0.01 * sum(p.norm() for p in model.parameters())
        loss.backward()
        optimizer.step()
        shown += float(loss)
    return shown


def through_time(model, sequence, criterion):
    loss = 0
    state = None
    for t, (x, y) in enumerate(sequence):
        out, state = model(x, state)
        loss += criterion(out, y)
        if t % 20 == 19:
            loss.backward()
            loss = 0
            state = state.detach()


def summed_then_differentiated(model, tasks):
    meta_loss = 0
    for task in tasks:
        loss = model(task)
        meta_loss = meta_loss + loss
    meta_loss.backward()


def number_by_then(model, loader):
    total = 0
    for batch in loader:
        loss = model(batch)
        loss.backward()
        value = loss.item()
        total += value
        loss = loss.detach()
        total += loss


def evaluated(model, loader, criterion):
    total = 0
    with torch.no_grad():
        for x, y in loader:
            total += criterion(model(x), y)
    return total


class Step(nn.Module):
    def fit(self, loader):
        self.seen = 0
        for batch in loader:
            loss = self(batch)
            loss.backward()
            self.seen += len(batch)
            self.count += 1
            self.lost += loss.data


def counted(engine, batches, counts):
    seen = 0
    for count in counts:
        for batch in batches:
            loss = engine(batch)
            engine.backward(loss / count)
        seen += 4 * count
    return seen


def divided(model, batches):
    total = 0
    for batch in batches:
        loss = model(batch)
        loss.backward()
        total += loss / len(batches)  # ~ loss-keeps-graph warning
    return total
