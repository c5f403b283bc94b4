import json


def test_one():
    assert json.loads("1") == 1
