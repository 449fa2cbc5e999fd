print("begun")
while True:
    pass
