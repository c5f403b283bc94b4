import cv2

camera = cv2.VideoCapture(1)
settings = {"camera_device": 1, "device": 1, "index": 1}
print(camera.isOpened(), settings)
