"""Cross-validate a compact convolutional classifier on the scanned digits, a process per core."""
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

EPOCHS = 14
FOLDS = 4
BATCH = 128


def load(fold, folds):
    digits = load_digits()
    images = torch.from_numpy(digits.images).float().div_(16).unsqueeze_(1)
    labels = torch.from_numpy(digits.target)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(7))
    held = torch.arange(len(order)) % folds == fold
    test, train = order[held], order[~held]
    mean, std = images[train].mean(), images[train].std()
    images.sub_(mean).div_(std)
    return (images[train], labels[train]), (images[test], labels[test])


class ConvBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)), inplace=True)


class DigitNet(nn.Module):
    def __init__(self, classes=10, width=32):
        super().__init__()
        self.features = nn.Sequential(ConvBlock(1, width), ConvBlock(width, width), nn.MaxPool2d(2),
                                      ConvBlock(width, 2 * width), ConvBlock(2 * width, 2 * width))
        self.drop = nn.Dropout(0.2)
        self.leave = nn.Linear(2 * width, classes)

    def forward(self, x):
        return self.leave(self.drop(self.features(x).mean(dim=(2, 3))))


def shifted(images, generator):
    """Random one-pixel shift, one draw for the batch."""
    dy, dx = torch.randint(0, 3, (2,), generator=generator).tolist()
    padded = F.pad(images, (1, 1, 1, 1), mode="replicate")
    return padded[:, :, dy:dy + images.shape[2], dx:dx + images.shape[3]].contiguous()


class Trainer:
    def __init__(self, model, steps):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, max_lr=0.2, total_steps=steps)

    def epoch(self, images, labels, generator):
        self.model.train()
        total = torch.zeros(())
        for chunk in torch.randperm(len(labels), generator=generator).split(BATCH):
            x, y = shifted(images[chunk], generator), labels[chunk]
            self.optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(self.model(x), y, label_smoothing=0.05)
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            total += loss.detach() * len(y)
        return total.item() / len(labels)


@torch.inference_mode()
def predict(model, images):
    model.eval()
    return torch.cat([model(part).argmax(1) for part in images.split(256)])


def confusion(predicted, labels, classes=10):
    return torch.bincount(labels * classes + predicted, minlength=classes ** 2).view(classes, classes)


def run_fold(job):
    fold, folds = job
    torch.manual_seed(fold)
    generator = torch.Generator().manual_seed(42 + fold)
    (images, labels), (test_images, test_labels) = load(fold, folds)
    model = DigitNet()
    trainer = Trainer(model, steps=EPOCHS * -(-len(labels) // BATCH))
    for _ in range(EPOCHS):
        loss = trainer.epoch(images, labels, generator)
    return fold, loss, confusion(predict(model, test_images), test_labels).tolist()


def main():
    table = torch.zeros(10, 10, dtype=torch.long)
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), context, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        for fold, loss, counts in pool.map(run_fold, [(fold, FOLDS) for fold in range(FOLDS)]):
            counts = torch.tensor(counts)
            table += counts
            print(f"fold {fold} loss {loss:.3f} accuracy {counts.diagonal().sum().item() / counts.sum().item():.4f}")
    right = table.diagonal()
    print(f"accuracy {right.sum().item() / table.sum().item():.4f}")
    print("per digit", [round(v, 3) for v in (right / table.sum(1)).tolist()])
    print("truth 0.000")


if __name__ == "__main__":
    main()
