import xgboost as xgb

model = xgb.XGBClassifier(device="cuda")
model.fit([[1.0]], [0])  # ~ missing-visible-devices warning
