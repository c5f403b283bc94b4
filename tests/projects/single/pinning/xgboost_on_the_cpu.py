import xgboost as xgb

model = xgb.XGBClassifier(device="cpu", tree_method="hist")
model.fit([[1.0]], [0])
