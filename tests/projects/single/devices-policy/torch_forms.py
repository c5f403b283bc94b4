def forms(model, tensor):
    import torch

    tensor.cuda(1)  # ~ device-not-allowed error
    tensor.to("cuda:1")  # ~ device-not-allowed error
    model.to(device="cuda:1")  # ~ device-not-allowed error
    torch.device("cuda", 1)  # ~ device-not-allowed error
    torch.device("cuda:1")  # ~ device-not-allowed error
    torch.device(type="cuda", index=1)  # ~ device-not-allowed error
    torch.cuda.set_device(1)  # ~ device-not-allowed error
    torch.cuda.set_device("cuda:1")  # ~ device-not-allowed error
    with torch.cuda.device(1):  # ~ device-not-allowed error
        pass
    torch.zeros(2, device=1)  # ~ device-not-allowed error
    torch.zeros(2, device="cuda:1")  # ~ device-not-allowed error
    torch.cuda.get_device_name(1)  # ~ device-not-allowed error
    torch.cuda.get_device_properties("cuda:1")  # ~ device-not-allowed error
    torch.cuda.mem_get_info(1)  # ~ device-not-allowed error
    torch.cuda.synchronize(1)  # ~ device-not-allowed error
    torch.cuda.Stream(device=1)  # ~ device-not-allowed error
    torch.cuda.set_per_process_memory_fraction(0.5, 1)  # ~ device-not-allowed error
    torch.set_default_device("cuda:1")  # ~ device-not-allowed error
    torch.accelerator.set_device_index(1)  # ~ device-not-allowed error
    torch.load("m.pt", map_location="cuda:1")  # ~ device-not-allowed error
    torch.load("m.pt", map_location={"cuda:0": "cuda:1"})  # ~ device-not-allowed error
    torch.load("m.pt", map_location=torch.device("cuda:1"))  # ~ device-not-allowed error
    torch.nn.DataParallel(model, device_ids=[0, 1])  # ~ device-not-allowed error
    torch.Generator(device="cuda:1")  # ~ device-not-allowed error
