import settings

print(settings.OPTIONS)
