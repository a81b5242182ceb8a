"""Trains torchvision's ResNet-18 on synthetic images: a small but complete training run.

Everything a real script has is here: a Dataset that decodes and augments, a DataLoader with worker processes, forward,
loss, backward, an optimizer step. Nothing knows of a profiler. The last line gives the median wall time of a step and the
median CPU time of this process in it, warm-up left out; scripts/bench reads it.
"""

import argparse
import io
import statistics
import time

import torch
import torchvision
from PIL import Image
from torch.utils.data import DataLoader, Dataset

CLASSES = 10


class SyntheticImages(Dataset):
    """JPEG images made of noise and a colour that tells the class, decoded and augmented anew at each access."""

    def __init__(self, length, size, seed=1):
        self.length = length
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, CLASSES, (length,), generator=generator).tolist()
        self.files = [self._encode(label, size, generator) for label in range(CLASSES) for _ in range(4)]
        self.transform = torchvision.transforms.Compose([
            torchvision.transforms.RandomResizedCrop(size, scale=(0.5, 1.0)),
            torchvision.transforms.RandomHorizontalFlip(),
            torchvision.transforms.ToTensor(),
            torchvision.transforms.Normalize((0.5, 0.5, 0.5), (0.25, 0.25, 0.25)),
        ])

    @staticmethod
    def _encode(label, size, generator):
        noise = torch.rand(3, 2 * size, 2 * size, generator=generator)
        noise[label % 3] *= (1 + label) / CLASSES
        out = io.BytesIO()
        torchvision.transforms.functional.to_pil_image(noise).save(out, "JPEG", quality=90)
        return out.getvalue()

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        label = self.labels[index]
        image = Image.open(io.BytesIO(self.files[label * 4 + index % 4])).convert("RGB")
        return self.transform(image), label


def train(options):
    torch.manual_seed(options.seed)
    data = SyntheticImages(options.steps * options.batch, options.size)
    loader = DataLoader(data, batch_size=options.batch, shuffle=True, num_workers=options.workers)
    model = torchvision.models.resnet18(num_classes=CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

    times, cpu_times = [], []
    began, cpu_began = time.perf_counter(), time.process_time()
    for step, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        now, cpu_now = time.perf_counter(), time.process_time()
        times.append(now - began)
        cpu_times.append(cpu_now - cpu_began)
        began, cpu_began = now, cpu_now
        if options.verbose or step % 10 == 9:
            print(f"step {step + 1:4d}  loss {loss.item():.3f}  {times[-1] * 1e3:8.2f} ms", flush=True)
    first = min(options.warmup, len(times) - 1)
    wall, cpu = (statistics.median(t[first:]) * 1e3 for t in (times, cpu_times))
    print(f"median step {wall:.3f} ms, CPU {cpu:.3f} ms, of {len(times) - first} steps", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--batch", type=int, default=16, help="images per step")
    parser.add_argument("--size", type=int, default=64, help="pixels per side")
    parser.add_argument("--workers", type=int, default=2, help="processes that load and augment images")
    parser.add_argument("--warmup", type=int, default=5, help="steps that the median leaves out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print each step")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
