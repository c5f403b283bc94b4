import os

saved = os.environ
os.environ = {"PATH": "/usr/bin"}  # ~ environ-rebound error
os.environ = saved
