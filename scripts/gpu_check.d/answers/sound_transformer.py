"""A transformer that keeps the device busy, in reduced precision: nothing to be mended."""
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(2048, 16, 8192, dropout=0.0, batch_first=True, norm_first=True)
    net = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).cuda()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
    x = torch.randn(16, 512, 2048, device="cuda")
    total = torch.zeros((), device="cuda")
    for step in range(60):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = (net(x) - x).square().mean()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print("mean %.4f" % (total / 60))


main()
