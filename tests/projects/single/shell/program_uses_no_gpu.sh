python plain.py
