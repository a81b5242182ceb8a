"""Watches a camera: finds the speed of the waves in each frame and keeps a small preview of it for the contact sheet.

What is wrong: the preview is a strided view of the frame; a view keeps its whole base array alive, so all the frames
(4 MB each) stay in memory for previews of 16 KB each.
First screen should say: memory grows by 4 MB for each frame: the arrays made in Camera.frame are never freed because
Sheet.add keeps slices (views) of them.
Mend: keep a copy: frame[::16, ::16].copy().
"""
import numpy as np

SIZE = 1024
FRAMES = 80


class Camera:
    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
        turns = np.linspace(0.1, 1.4, 15)
        self.phases = [x * np.float32(0.1 * np.cos(turn)) + y * np.float32(0.1 * np.sin(turn)) for turn in turns]
        self.noise = self.draw.standard_normal((SIZE, SIZE), dtype=np.float32)

    def frame(self, number):
        frame = 0.1 * np.roll(self.noise, number * 37, axis=1)
        for order, phase in enumerate(self.phases):
            frame += np.sin(phase + np.float32(number * 0.4 + order)) / (order + 1)
        return frame


class Sheet:
    """The contact sheet: one preview for each frame."""

    def __init__(self, step):
        self.step = step
        self.previews = []

    def add(self, frame):
        self.previews.append(frame[:: self.step, :: self.step])  # FAULT host-memory-grows

    def picture(self, columns):
        rows = []
        for at in range(0, len(self.previews), columns):
            rows.append(np.hstack(self.previews[at : at + columns]))
        return np.vstack(rows)

    def held(self):
        """Bytes kept by the previews beyond their own; one frame lives in any case."""
        return sum(view.base.nbytes - view.nbytes for view in self.previews[1:])


class Waves:
    def __init__(self):
        self.before = None
        self.speeds = []

    def update(self, frame):
        spectrum = np.fft.rfft2(frame)[:, 1:40]
        if self.before is not None:
            turn = np.angle((spectrum * self.before.conj()).sum(axis=0))
            power = np.abs(spectrum).sum(axis=0)
            self.speeds.append(float((turn * power).sum() / power.sum()))
        self.before = spectrum


def main():
    camera = Camera(4)
    sheet = Sheet(16)
    waves = Waves()
    for number in range(FRAMES):
        frame = camera.frame(number)
        waves.update(frame)
        sheet.add(frame)
    picture = sheet.picture(8)
    print("sheet", picture.shape, "mean %.5f" % picture.mean())
    print("speed %.5f spread %.5f" % (np.mean(waves.speeds), np.std(waves.speeds)))
    print("truth %d bytes" % sheet.held())


main()
