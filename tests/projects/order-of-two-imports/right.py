import env
import model

print(env, model)
