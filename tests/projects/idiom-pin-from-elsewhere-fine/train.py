"""The package has chosen the card when its model is there."""
from app.model import Narrator

if __name__ == "__main__":
    Narrator().cuda()
