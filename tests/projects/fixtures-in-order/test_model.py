def test_sum(tensor):
    assert tensor.sum() == 0


def test_second(tensor):
    tensor.to("cuda:1")  # ~ device-outside-mask error
