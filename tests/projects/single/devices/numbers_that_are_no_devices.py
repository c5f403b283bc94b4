import torch


def run(model, tensor, scaler):
    tensor.to(torch.float16)
    tensor.view(1, 2)
    torch.zeros(1, 1)
    torch.tensor([1])
    torch.randn(1, 2, 3)
    tensor.sum(1)
    torch.cuda.manual_seed(1)
    torch.cuda.nvtx.range_push("cuda:1")
    torch.cuda.memory_stats()
    torch.nn.Linear(1, 1)
    model.train(True)
    return tensor.transpose(0, 1)


if __name__ == "__main__":
    print(run)
