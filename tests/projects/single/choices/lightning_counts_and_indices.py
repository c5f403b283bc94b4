import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import lightning as L
import pytorch_lightning as pl

L.Trainer(accelerator="gpu", devices=1)
L.Trainer(accelerator="gpu", devices="1")
L.Trainer(accelerator="gpu", devices=[1])  # ~ device-outside-mask error
L.Trainer(accelerator="gpu", devices="1,")  # ~ device-outside-mask error
L.Trainer(accelerator="cpu", devices=2)
pl.Trainer(accelerator="gpu", devices=[0])
pl.Trainer(accelerator="gpu", devices=-1)
L.Fabric(accelerator="gpu", devices=[1])  # ~ device-outside-mask error
