train:
	python train.py

other:
	python other.py
