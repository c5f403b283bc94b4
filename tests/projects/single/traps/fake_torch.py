import sys
import types

fake = types.ModuleType("torch")
fake.cuda = types.SimpleNamespace(is_available=lambda: True)
sys.modules["torch"] = fake
print("torch replaced")
