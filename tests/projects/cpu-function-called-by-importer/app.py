from backend import load

xp = load("auto")
