from names import *
