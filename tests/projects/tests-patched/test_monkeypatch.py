import service


def test_engine(monkeypatch):
    monkeypatch.setattr(service, "load_model", lambda name: None)
    service.Engine("tiny")


def test_text(monkeypatch):
    monkeypatch.setattr("service.load_model", lambda name: None)
    service.Engine("tiny")
