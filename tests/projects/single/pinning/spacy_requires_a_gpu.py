import spacy

spacy.require_gpu()  # ~ missing-visible-devices warning
