import jax  # ~ missing-visible-devices warning

if __name__ == "__main__":
    print(jax.COUNT)
