with open("words.txt") as file:
    print(file.read().split())
