from lib import Pipeline

Pipeline.create()  # ~ missing-visible-devices warning
