import plugins

for plugin in plugins.load_all():
    plugin.run()
