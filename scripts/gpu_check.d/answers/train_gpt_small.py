"""Pretrain a small decoder-only language model on packed token blocks."""
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
BATCH, SEQ, STEPS = (2, 16, 3) if SMALL else (32, 1024, 130)
WIDTH, LAYERS, HEADS, VOCAB = (64, 2, 4, 128) if SMALL else (768, 12, 12, 16384)
MAX_SECONDS = 45


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                 nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, HEADS, c // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.n2(x))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH)
        self.pos = nn.Embedding(SEQ, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.out = nn.Linear(WIDTH, VOCAB, bias=False)
        self.register_buffer("index", torch.arange(SEQ))

    def forward(self, ids):
        return self.out(self.norm(self.blocks(self.tok(ids) + self.pos(self.index))))


def main():
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    model = LM().to(DEVICE)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=DEVICE == "cuda")
    tokens = torch.randint(0, VOCAB, (16, BATCH, SEQ + 1), device=DEVICE)
    begin, done = time.time(), 0
    for step in range(STEPS):
        block = tokens[step % 16]
        with torch.autocast(DEVICE, torch.bfloat16):
            logits = model(block[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), block[:, 1:].flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        done += 1
        if step % 25 == 24:
            print(f"step {step + 1} loss {loss.item():.2f}")
            if time.time() - begin > MAX_SECONDS:
                break
    print(f"done: {done} steps, loss {loss.item():.1f}")


if __name__ == "__main__":
    main()
