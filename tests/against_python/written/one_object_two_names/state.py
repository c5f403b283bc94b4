CONF = {"mask": "0"}
