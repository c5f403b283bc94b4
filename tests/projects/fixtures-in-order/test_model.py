def test_sum(tensor):  # ~ gpu-test-without-cleanup warning
    assert tensor.sum() == 0


def test_second(tensor):  # ~ gpu-test-without-cleanup warning
    tensor.to("cuda:1")  # ~ device-outside-mask error
