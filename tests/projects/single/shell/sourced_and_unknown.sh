source /opt/site/settings.sh
python train.py
