import sys, second
sys.modules["second"].go()
