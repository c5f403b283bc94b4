import north
