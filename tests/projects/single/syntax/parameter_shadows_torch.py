def run(torch):
    return torch.cuda.is_available()


class Fake:
    class cuda:
        @staticmethod
        def is_available():
            return False


print(run(Fake))
