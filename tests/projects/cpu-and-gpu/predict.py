from strategy import run

print(run(gpu=True))  # ~ missing-visible-devices error, missing-device-order error
