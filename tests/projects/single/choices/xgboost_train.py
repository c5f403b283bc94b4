import xgboost as xgb

params = {"max_depth": 3}
params["device"] = "cuda"
xgb.train(params, None)  # ~ missing-visible-devices warning
