def forms(model, tensor):
    import torch

    tensor.cuda()
    tensor.cuda(0)
    tensor.to("cuda:0", non_blocking=True)
    model.to(device="cuda")
    tensor.to("cpu", 1)
    torch.device("cuda", 0)
    torch.device("cpu", 1)
    torch.cuda.set_device(-1)
    torch.zeros(1, 2, device="cuda:0")
    torch.zeros(1)
    torch.ones(1, 1)
    torch.cuda.get_device_name(0)
    torch.load("m.pt", map_location={"cuda:1": "cuda:0"})
    torch.load("m.pt", map_location="cpu")
    torch.nn.DataParallel(model, device_ids=[0])
    torch.cuda.manual_seed(1)
    torch.cuda.set_per_process_memory_fraction(1.0, 0)
    torch.device("mps:0")
    torch.device("cpu:1")
    return model
