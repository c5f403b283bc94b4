SECOND = {"device": "cuda:1"}
THIRD = {"device": "cuda:2"}  # ~ device-not-allowed error
