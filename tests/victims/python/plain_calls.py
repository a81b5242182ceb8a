"""A few calls, and an end as any program's."""


def step(x):
    return x + 1


total = 0
for _ in range(1000):
    total = step(total)
print(total)
