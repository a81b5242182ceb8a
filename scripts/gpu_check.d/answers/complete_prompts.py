"""Greedy completion of a batch of prompts with a GPT-2 style model."""
import os
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
BATCH, PROMPT, NEW = (2, 8, 6) if SMALL else (64, 256, 256)
MAX_SECONDS = 45


def build_model():
    cfg = GPT2Config(vocab_size=32000, n_positions=1024, n_embd=768,
                     n_layer=2 if SMALL else 12, n_head=12)
    model = GPT2LMHeadModel(cfg).to(DEVICE)
    return model.to(torch.bfloat16).eval()


@torch.inference_mode()
def complete(model, prompts, n_new):
    ids = prompts
    start = time.time()
    for _ in range(n_new):
        out = model.transformer(input_ids=ids, use_cache=False)  # FAULT recomputed-prefix
        nxt = model.lm_head(out.last_hidden_state[:, -1]).argmax(-1, keepdim=True)
        ids = torch.cat([ids, nxt], dim=1)
        if time.time() - start > MAX_SECONDS:
            break
    return ids


def main():
    torch.manual_seed(0)
    model = build_model()
    prompts = torch.randint(0, 32000, (BATCH, PROMPT), device=DEVICE)
    ids = complete(model, prompts, NEW)
    print(f"completed {ids.shape[0]} prompts, {ids.shape[1] - PROMPT} new tokens each")


if __name__ == "__main__":
    main()
