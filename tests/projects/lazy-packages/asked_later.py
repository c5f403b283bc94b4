import parts

parts.choose("0")
print(parts.Model())
