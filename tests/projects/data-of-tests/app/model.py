from tests.weights import WEIGHTS

print(WEIGHTS)
