"""Prepare quicklooks of satellite scenes for a browser.

Every scene is made, corrected and rated; a small window with the best contrast
is kept as the quicklook, together with a histogram, in a catalogue.

What is wrong: the quicklook is a slice (a view) of the scene, so each of the
catalogue's small pictures keeps its whole scene in memory.
First screen should say: memory grows by about 495 MB; scenes made in correct()
are held by views of them in Catalogue.looks, made at line 57 (best_window).
Mend: return scene[...].copy().
"""
import numpy as np

SCENES = 104
SIDE = 1100
LOOK = 96


def make_scene(number):
    rng = np.random.default_rng(number)
    rows = np.linspace(0, 4 + number % 5, SIDE, dtype=np.float32)
    cols = np.linspace(0, 3 + number % 7, SIDE, dtype=np.float32)
    scene = np.sin(rows)[:, None] * np.cos(cols)[None, :]
    for _ in range(12):
        y, x = rng.integers(0, SIDE - 200, 2)
        height, width = rng.integers(40, 200, 2)
        scene[y:y + height, x:x + width] += rng.normal(0, 1)
    scene += rng.standard_normal((SIDE, SIDE), dtype=np.float32) * 0.1
    return scene


def correct(scene):
    """Remove stripes and stretch to 0..1."""
    rows = np.median(scene, axis=1, keepdims=True)
    flat = scene - rows * np.float32(0.2)
    low, high = np.percentile(flat[::4, ::4], (1, 99))
    flat -= np.float32(low)
    flat /= np.float32(high - low)
    np.clip(flat, 0, 1, out=flat)
    return flat


def contrast(part):
    across = np.abs(np.diff(part, axis=0)).mean()
    along = np.abs(np.diff(part, axis=1)).mean()
    return float(part.std() / (across + along + 1e-6))


def best_window(scene):
    best, place = -1.0, (0, 0)
    for y in range(0, SIDE - LOOK, LOOK):
        for x in range(0, SIDE - LOOK, LOOK):
            score = contrast(scene[y:y + LOOK, x:x + LOOK])
            if score > best:
                best, place = score, (y, x)
    y, x = place
    return best, scene[y:y + LOOK, x:x + LOOK]  # FAULT host-memory-grows


class Catalogue:
    def __init__(self):
        self.looks = {}
        self.scores = {}
        self.histograms = {}

    def add(self, number):
        scene = correct(make_scene(number))
        score, look = best_window(scene)
        name = f"scene-{number:03d}"
        self.looks[name] = look
        self.scores[name] = score
        self.histograms[name] = np.histogram(scene[::2, ::2], bins=64, range=(0, 1))[0]

    def neighbours(self, name, count=3):
        """Names of the scenes with the most similar histogram."""
        mine = self.histograms[name].astype(float)
        far = {other: float(np.abs(h - mine).sum())
               for other, h in self.histograms.items() if other != name}
        return sorted(far, key=far.get)[:count]

    def sheet(self, columns=8):
        """Contact sheet of all quicklooks."""
        looks = list(self.looks.values())
        rows = [np.hstack(looks[k:k + columns])
                for k in range(0, len(looks) - columns + 1, columns)]
        return np.vstack(rows)


def held(looks):
    """Bytes which the quicklooks keep alive beyond their own pixels."""
    extra = 0
    for look in looks:
        if look.base is not None:
            extra += look.base.nbytes - look.nbytes
    return extra


def main():
    catalogue = Catalogue()
    for number in range(SCENES):
        catalogue.add(number)
    best = max(catalogue.scores, key=catalogue.scores.get)
    sheet = catalogue.sheet()
    print(f"{len(catalogue.looks)} scenes, "
          f"best {best}, like {catalogue.neighbours(best)}")
    print(f"sheet {sheet.shape}, mean {sheet.mean():.4f}")
    scenes_alive_anyway = SIDE * SIDE * 4      # the one in work
    print(f"truth {max(0, held(catalogue.looks.values()) - scenes_alive_anyway) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
