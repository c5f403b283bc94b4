def build(index, res):
    import catboost
    import faiss
    import lightgbm as lgb
    import mxnet as mx
    import paddle
    import pycuda.driver as drv
    import rmm
    import spacy
    import whisper
    import whisperx
    from dask_cuda import LocalCUDACluster
    from pytorch_lightning import Trainer
    from torch.nn.parallel import DistributedDataParallel as DDP
    from ultralytics import YOLO

    whisper.load_model("base", device="cuda:1")  # ~ device-not-allowed error
    whisperx.load_model("base", "cuda", device_index=1)  # ~ device-not-allowed error
    faiss.index_cpu_to_gpu(res, 1, index)  # ~ device-not-allowed error
    spacy.require_gpu(1)  # ~ device-not-allowed error
    spacy.prefer_gpu(1)  # ~ device-not-allowed error
    paddle.device.set_device("gpu:1")  # ~ device-not-allowed error
    mx.gpu(1)  # ~ device-not-allowed error
    rmm.reinitialize(devices=1)  # ~ device-not-allowed error
    drv.Device(1)  # ~ device-not-allowed error
    lgb.LGBMClassifier(device_type="gpu", gpu_device_id=1)  # ~ device-not-allowed error
    catboost.CatBoostClassifier(task_type="GPU", devices="1")  # ~ device-not-allowed error
    LocalCUDACluster(CUDA_VISIBLE_DEVICES="1")  # ~ device-not-allowed error
    Trainer(accelerator="gpu", devices=[1])  # ~ device-not-allowed error
    DDP(index, device_ids=[1])  # ~ device-not-allowed error
    YOLO("yolo.pt").predict("a.jpg", device=1)  # ~ device-not-allowed error
    YOLO("yolo.pt").train(data="coco.yaml", device="1")  # ~ device-not-allowed error
