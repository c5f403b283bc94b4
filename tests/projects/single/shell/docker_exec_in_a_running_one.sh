docker exec -it trainer python train.py
