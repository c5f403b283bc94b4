echo hello
python tool.py
