import a

print(a.mask())
