import xgboost as xgb

model = xgb.XGBClassifier(tree_method="hist", device="cpu")
model.fit([[1.0]], [0])
xgb.train({"tree_method": "hist"}, None)
