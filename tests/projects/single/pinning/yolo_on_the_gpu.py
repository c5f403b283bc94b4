from ultralytics import YOLO

model = YOLO("yolov8n.pt")
model.predict("a.jpg", device=0)  # ~ missing-visible-devices warning
