"""Train a tagging head on top of a frozen BERT encoder for product titles."""
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from transformers import BertConfig, BertModel

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
TITLES, LENGTH, BATCH, EPOCHS = (8, 16, 4, 2) if SMALL else (8192, 128, 256, 8)
TAGS = 32
MAX_SECONDS = 45


class Head(nn.Module):
    def __init__(self, width=768, layers=1 if SMALL else 3):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 12, width * 4, 0.1, batch_first=True,
                                           norm_first=True, activation="gelu")
        self.enc = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(width, TAGS)

    def forward(self, x):
        return self.out(self.enc(x))


@torch.no_grad()
def encode(encoder, ids):
    return encoder(input_ids=ids).last_hidden_state  # FAULT frozen-forward


def main():
    torch.manual_seed(0)
    cfg = BertConfig(num_hidden_layers=2 if SMALL else 12)
    encoder = BertModel(cfg, add_pooling_layer=False).to(DEVICE).to(torch.bfloat16).eval()
    head = Head().to(DEVICE)
    opt = torch.optim.AdamW(head.parameters(), lr=2e-4)
    ids = torch.randint(1000, 30000, (TITLES, LENGTH), device=DEVICE)
    tags = torch.randint(0, TAGS, (TITLES, LENGTH), device=DEVICE)
    batches = range(0, TITLES, BATCH)
    begin, steps = time.time(), 0
    for epoch in range(EPOCHS):
        for at in batches:
            feats = encode(encoder, ids[at:at + BATCH])  # FAULT frozen-forward
            with torch.autocast(DEVICE, torch.bfloat16):
                logits = head(feats)
            loss = F.cross_entropy(logits.float().flatten(0, 1), tags[at:at + BATCH].flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            steps += 1
        print(f"epoch {epoch} loss {loss.item():.2f}")
        if time.time() - begin > MAX_SECONDS:
            break
    print(f"done: {steps} steps")


if __name__ == "__main__":
    main()
