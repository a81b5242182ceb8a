"""Residual MLP trained to remove noise from tabular sensor vectors."""
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
BATCH, WIDTH, BLOCKS, STEPS = (64, 64, 2, 3) if SMALL else (32768, 1024, 16, 120)
MAX_SECONDS = 45


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return x + self.drop(F.gelu(self.fc(self.norm(x))))  # FAULT tensor-cores-unused


def main():
    torch.manual_seed(0)
    model = nn.Sequential(*[Block(WIDTH) for _ in range(BLOCKS)], nn.Linear(WIDTH, WIDTH))
    model = model.to(DEVICE)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    clean = torch.randn(4 * BATCH, WIDTH, device=DEVICE)
    begin, done = time.time(), 0
    for step in range(STEPS):
        target = clean[(step % 4) * BATCH:(step % 4 + 1) * BATCH]
        noisy = target + 0.3 * torch.randn_like(target)
        pred = model(noisy)  # FAULT tensor-cores-unused
        loss = F.mse_loss(pred.float(), target)
        opt.zero_grad(set_to_none=True)
        loss.backward()  # FAULT tensor-cores-unused
        opt.step()
        done += 1
        if step % 20 == 19 and time.time() - begin > MAX_SECONDS:
            break
    print(f"steps {done} loss {loss.item():.1f}")


if __name__ == "__main__":
    main()
