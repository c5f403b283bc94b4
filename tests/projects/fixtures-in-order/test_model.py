def test_sum(tensor):  # ~ gpu-test-without-cleanup note
    assert tensor.sum() == 0


def test_second(tensor):  # ~ gpu-test-without-cleanup note
    tensor.to("cuda:1")  # ~ device-outside-mask error
