"""SOUND: brightness of an image of 4 million pixels under 24 settings of a lamp, each a column of a small table."""
import numpy as np


def brightness(image, setting):
    return float(np.sqrt(image * setting[0] + setting[1]).sum() / setting[2])


def main():
    rng = np.random.default_rng(4)
    image = rng.random((2400, 2000))
    settings = rng.random((3, 24)) + 1.0
    best = 0.0
    for n in range(settings.shape[1]):
        best = max(best, brightness(image, settings[:, n]))
    print(best)


main()
