inner = __import__("parts.inner", fromlist=["choose"])
inner.choose()
outer = __import__("parts.inner")
outer.inner.choose()
