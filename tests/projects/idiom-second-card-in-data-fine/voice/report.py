"""A report about both cards."""
ROWS = {"cuda:0": "RTX 3090", "cuda:1": "RTX 5060 Ti"}


def write(path="report.txt"):
    with open(path, "w") as report:
        report.write("cuda:1 was never used\n")
        for name, card in ROWS.items():
            print(name, card, file=report)
