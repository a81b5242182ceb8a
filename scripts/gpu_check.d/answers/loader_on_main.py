"""Trains on pictures that are augmented in Python, by a DataLoader without workers."""
import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, i):
        random = numpy.random.default_rng(i)
        picture = random.random((3, 128, 128), dtype=numpy.float32)
        picture = picture[:, :, ::-1] if i % 2 else picture
        spectrum = numpy.fft.rfft2(picture)
        spectrum[:, 20:-20] = 0
        smooth = numpy.fft.irfft2(spectrum, picture.shape[1:]).astype(numpy.float32)
        return torch.from_numpy(smooth), i % 10


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 64, 3, 2), nn.ReLU(), nn.Conv2d(64, 128, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                        nn.Flatten(), nn.Linear(128, 10)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    loader = DataLoader(Pictures(), batch_size=32)
    for epoch in range(2):
        for x, target in loader:  # FAULT waiting-for-data
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x.cuda()), target.cuda())
            loss.backward()
            optimizer.step()
    print("loss %.4f" % loss)


main()
