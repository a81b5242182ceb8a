"""Word-piece language model with a recurrent layer and a wide output head."""
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
BATCH, SEQ, STEPS = (2, 8, 3) if SMALL else (128, 192, 70)
HIDDEN, WIDE, VOCAB = (32, 64, 100) if SMALL else (1024, 4096, 16000)
MAX_SECONDS = 45


class Recurrent(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.x_i, self.h_i = nn.Linear(size, size), nn.Linear(size, size)
        self.x_f, self.h_f = nn.Linear(size, size), nn.Linear(size, size)
        self.x_g, self.h_g = nn.Linear(size, size), nn.Linear(size, size)
        self.x_o, self.h_o = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], self.size)
        c = x.new_zeros(x.shape[0], self.size)
        outs = []
        for t in range(x.shape[1]):
            xt = x[:, t]
            i = torch.sigmoid(self.x_i(xt) + self.h_i(h))  # FAULT launch-bound device-idle
            f = torch.sigmoid(self.x_f(xt) + self.h_f(h))  # FAULT launch-bound device-idle
            g = torch.tanh(self.x_g(xt) + self.h_g(h))  # FAULT launch-bound device-idle
            o = torch.sigmoid(self.x_o(xt) + self.h_o(h))  # FAULT launch-bound device-idle
            c = f * c + i * g  # FAULT launch-bound device-idle
            h = o * torch.tanh(c)  # FAULT launch-bound device-idle
            outs.append(h)
        return torch.stack(outs, dim=1)


class CharModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, HIDDEN)
        self.rnn = Recurrent(HIDDEN)
        self.up = nn.Linear(HIDDEN, WIDE)
        self.out = nn.Linear(WIDE, VOCAB)

    def forward(self, ids):
        hidden = self.rnn(self.emb(ids))
        return self.out(F.gelu(self.up(hidden)))


def main():
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    model = CharModel().to(DEVICE)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    corpus = torch.randint(0, VOCAB, (BATCH, SEQ * 16 + 1), device=DEVICE)
    begin, done = time.time(), 0
    for step in range(STEPS):
        at = (step % 16) * SEQ
        ids, target = corpus[:, at:at + SEQ], corpus[:, at + 1:at + SEQ + 1]
        logits = model(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        done += 1
        if time.time() - begin > MAX_SECONDS:
            break
    print(f"steps {done} loss {loss.item():.1f}")


if __name__ == "__main__":
    main()
