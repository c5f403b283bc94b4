def test_model(model):
    assert model is not None
