import north

north.choose("3")
