def rule_named(name):
    if name not in ("mean", "sum"):
        raise ValueError(name)
    return name


class Base:
    def __init__(self, rule):
        self.rule = rule


class Model(Base):
    def __init__(self, name="mean"):
        super().__init__(rule_named(name))

    def score(self, rows):
        return rows
