import numpy
import sentence_transformers
import whisper
from transformers import AutoTokenizer
