"""Tag a photo collection with a timm ViT."""
import os
import time

import numpy as np
import timm
import torch
from torch.utils.data import DataLoader, Dataset

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
PHOTOS, BATCH, WORKERS = (8, 4, 0) if SMALL else (32768, 256, 12)
MODEL = "vit_tiny_patch16_224" if SMALL else "vit_base_patch16_224"
MAX_SECONDS = 45


class Photos(Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(0)
        pool = rng.integers(0, 256, (min(n, 1024), 3, 224, 224), dtype=np.uint8)
        self.pool = torch.from_numpy(pool)
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.pool[i % len(self.pool)]


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    model = timm.create_model(MODEL, pretrained=False).to(DEVICE, torch.bfloat16).eval()
    loader = DataLoader(Photos(PHOTOS), batch_size=BATCH, num_workers=WORKERS,
                        pin_memory=DEVICE == "cuda",
                        prefetch_factor=4 if WORKERS else None)
    tags = []
    begin = time.time()
    for images in loader:
        x = images.to(DEVICE, non_blocking=True).to(torch.bfloat16).div_(127.5).sub_(1.0)
        tags.append(model(x).argmax(-1))
        if time.time() - begin > MAX_SECONDS:
            break
    tags = torch.cat(tags).cpu()
    print(f"tagged {len(tags)} photos")


if __name__ == "__main__":
    main()
