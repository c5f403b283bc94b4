import xgboost as xgb

slow = xgb.XGBClassifier()
fast = xgb.XGBClassifier(device="cuda")
slow.fit([[1.0]], [0])
print(fast)
