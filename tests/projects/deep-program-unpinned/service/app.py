from service.model import Model


class App:
    def __init__(self, device):
        self.model = Model(device)

    def run(self):
        self.model.warm_up()
        return 0


def create_app(device):
    return App(device)
