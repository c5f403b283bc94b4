call "%~dp0env.bat"
python "%~dp0train.py"
