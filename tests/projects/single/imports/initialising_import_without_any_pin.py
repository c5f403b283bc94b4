import speechbrain

print(speechbrain.__version__)
