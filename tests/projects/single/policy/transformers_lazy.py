from sentence_transformers import SentenceTransformer  # ~ missing-visible-devices error, missing-device-order error

print(SentenceTransformer)
