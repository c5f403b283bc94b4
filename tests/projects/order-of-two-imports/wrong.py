import model  # ~ missing-visible-devices warning

print(model)
