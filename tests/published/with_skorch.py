"""Trains a network with torch on the CPU, and searches in processes of joblib."""

import numpy
import torch
from sklearn.model_selection import GridSearchCV
from skorch import NeuralNetClassifier


def network():
    return torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Softmax(-1))


if __name__ == "__main__":
    inputs = numpy.random.default_rng(0).random((64, 4), dtype=numpy.float32)
    answers = (inputs.sum(axis=1) > 2).astype(numpy.int64)
    one = NeuralNetClassifier(network, max_epochs=1, device="cpu", verbose=0)
    search = GridSearchCV(one, {"lr": [0.1, 0.2]}, cv=2, n_jobs=2)
    print(search.fit(inputs, answers).best_params_)
