from service.model import Model


class App:
    def __init__(self, settings):
        self.model = Model(settings.device)

    def run(self):
        self.model.warm_up()
        return 0


def create_app(settings):
    return App(settings)
