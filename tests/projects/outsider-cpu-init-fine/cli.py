from typing import TYPE_CHECKING

from analysis import report

if TYPE_CHECKING:
    import torch


def main(tensor: "torch.Tensor | None" = None):
    """
    >>> import torch
    """
    report.show()


if __name__ == "__main__":
    main()
