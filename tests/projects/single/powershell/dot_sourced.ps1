. .\env.ps1
python train.py
