import functools


def require_card():
    print("checked elsewhere")


def checked(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        require_card()
        return function(*args, **kwargs)

    return wrapper
