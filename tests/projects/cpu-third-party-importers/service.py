import numpy
import sentence_transformers  # ~ gpu-import-reached error
import whisper  # ~ gpu-import-reached error
from transformers import AutoTokenizer  # ~ gpu-import-reached error
