from app.templates import COMMAND, write

if __name__ == "__main__":
    write("job.py")
    print(COMMAND, "cuda:1")
