import os

import lightning as L

os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ missing-device-order warning, pin-after-gpu-import note

trainer = L.Trainer(max_epochs=1)
trainer.fit(None)
