"""SOUND: multiplies matrices."""
import numpy

a = numpy.random.rand(700, 700)
for _ in range(60):
    b = a @ a
