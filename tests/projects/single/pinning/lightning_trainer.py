import lightning as L
import torch


class Model(L.LightningModule):
    def training_step(self, batch, index):
        return self(batch).sum()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


print(Model)
