import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import lightgbm as lgb
import xgboost as xgb
from catboost import CatBoostClassifier

xgb.XGBClassifier(device="cuda:1")  # ~ device-outside-mask error
xgb.XGBRegressor(tree_method="gpu_hist", gpu_id=1)  # ~ device-outside-mask error
xgb.train({"device": "cuda:1", "max_depth": 1}, None)  # ~ device-outside-mask error
xgb.train({"device": "cpu", "max_depth": 3, "nthread": 1}, None)
lgb.LGBMClassifier(device="gpu", gpu_platform_id=1, gpu_device_id=0)
lgb.LGBMClassifier(device="gpu", gpu_device_id=1)  # ~ device-outside-mask error
lgb.train({"device_type": "gpu", "gpu_device_id": 1, "num_leaves": 3}, None)  # ~ device-outside-mask error
CatBoostClassifier(task_type="GPU", devices="0:1")  # ~ device-outside-mask error
CatBoostClassifier(task_type="GPU", devices="0-1")  # ~ device-outside-mask error
CatBoostClassifier(task_type="CPU", depth=1)
