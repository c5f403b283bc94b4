import service


def test_engine(mocker):
    mocker.patch("service.load_model", return_value=None)
    service.Engine("tiny")


def test_available(mocker):
    mocker.patch("torch.cuda.synchronize")
    service.Plain().start()
