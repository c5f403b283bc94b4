def test_model(model):  # ~ gpu-test-without-cleanup note
    assert model is not None
