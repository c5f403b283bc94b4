def test_model(model):  # ~ gpu-test-without-cleanup warning
    assert model is not None
