__import__("work").go()
