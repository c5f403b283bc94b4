source ./functions.sh
pin 0
python train.py
