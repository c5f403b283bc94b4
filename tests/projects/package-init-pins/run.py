from app.model import Model

Model()
