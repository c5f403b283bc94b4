# gpulint: ignore-file[device-not-allowed] old
# ~^ unused-suppression warning
print("no GPU")
