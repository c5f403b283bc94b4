import gymnasium as gym
import torch

env = gym.make("CartPole-v1")
state, _ = env.reset()
for _ in range(10):
    state, reward, done, truncated, info = env.step(env.action_space.sample())
    x = torch.as_tensor(state)
