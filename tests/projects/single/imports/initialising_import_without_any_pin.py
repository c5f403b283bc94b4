import speechbrain  # ~ missing-visible-devices warning

print(speechbrain.__version__)
