from .impl import pin as configure
