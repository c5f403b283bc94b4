from selenium_pages import Page
import torch

page = Page()
page.forward()
page.backward()
print(torch.__version__)
