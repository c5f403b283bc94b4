"""Joint audio extraction; ours."""


def devices(kind):
    return [kind]
