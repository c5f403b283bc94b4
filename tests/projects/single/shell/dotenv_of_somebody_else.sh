set -a; . ./.env; set +a
python train.py
