from service import Model

model = Model("cpu")
model.run()
