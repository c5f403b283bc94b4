def test_words():
    assert "a b".split() == ["a", "b"]
