import helper  # ~ missing-visible-devices warning

if __name__ == "__main__":
    print(helper.recognise("a.wav"))
