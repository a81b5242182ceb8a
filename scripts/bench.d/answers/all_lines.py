"""Adds up a column, with all rows of the file in a list before the first one is looked at."""

with open("rows.csv", "w") as out:
    for i in range(500000):
        out.write(f"{i},name of {i},{i * 7 % 1000}\n")


def load():
    with open("rows.csv") as rows:
        return rows.readlines()  # FAULT none host-memory-grows


def size_of(lines):
    return sum(line.__sizeof__() for line in lines) + lines.__sizeof__()


lines = load()
print(sum(int(line.rsplit(",", 1)[1]) for line in lines))
print("truth", size_of(lines), "bytes")
