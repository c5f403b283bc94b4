call env.bat
python train.py
