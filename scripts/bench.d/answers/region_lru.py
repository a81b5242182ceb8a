"""Renders a map row by row, from regions whose height profiles are kept in an lru_cache.

What is wrong: lru_cache(maxsize=128) in front of a scan that goes round 150 regions in order: each is dropped just before
it is asked for again, so the cache never hits.
First screen should say: a third of the time is in region_profile, called thousands of times for only 150 different
arguments although it is cached - its lru_cache(maxsize=128) misses every time.
Mend: a cache that holds the working set (maxsize=None, or 256).
"""
import functools
import math
import time

REGIONS = 150
ROWS = 90
spent = []


@functools.lru_cache(maxsize=128)  # FAULT none
def region_profile(region):
    began = time.perf_counter()
    profile = []
    for x in range(48):
        height = 0.0
        for octave in range(1, 9):
            angle = (x * octave * 0.13 + region * 1.7) % math.tau
            height += math.sin(angle) / octave + math.cos(angle * 0.5) / (octave + 1)
        profile.append(height)
    spent.append(time.perf_counter() - began)
    return tuple(profile)


class Shader:
    def __init__(self, palette):
        self.palette = palette

    def shade(self, row, profile):
        line = []
        light = 0.3 + 0.7 * (row % 5) / 5
        for before, height in zip(profile, profile[1:]):
            slope = height - before
            level = int((height + slope * light) * 8) % len(self.palette)
            line.append(self.palette[level])
        return line


class Map:
    def __init__(self, shader):
        self.shader = shader
        self.tones = {}

    def rows(self):
        for row in range(ROWS):
            for region in range(REGIONS):
                yield row, region, region_profile(region)  # FAULT none

    def render(self):
        for row, region, profile in self.rows():
            for repeat in range(16):
                for tone in self.shader.shade(row + repeat, profile):
                    self.tones[tone] = self.tones.get(tone, 0) + 1


picture = Map(Shader([f"#{i:02x}{255 - i:02x}80" for i in range(64)]))
picture.render()
print("tones", len(picture.tones), sum(picture.tones.values()))
print("truth", sum(spent[REGIONS:]))
