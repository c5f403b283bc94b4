from unittest import mock

import service


@mock.patch.object(service.Plain, "prepare")
def test_start(prepare):
    service.Plain().start()


def test_with(mocker):
    with mock.patch.object(service.Plain, "prepare"):
        service.Plain().start()
