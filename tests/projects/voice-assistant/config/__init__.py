from .settings import Settings

settings = Settings()
