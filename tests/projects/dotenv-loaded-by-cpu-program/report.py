# No GPU is used on the way: a mask alone does no harm here.
from dotenv import load_dotenv

load_dotenv()
print("done")
