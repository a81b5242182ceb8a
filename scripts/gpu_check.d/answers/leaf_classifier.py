"""Leaf disease classifier: timm ViT trained with Lightning."""
import os

import lightning as L
import numpy as np
import timm
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
BATCH, IMAGES, EPOCHS, SIZE = (4, 8, 2, 64) if SMALL else (256, 6400, 6, 128)


class Leaves(Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.images = torch.from_numpy(
            rng.integers(0, 256, (n, 3, SIZE, SIZE), dtype=np.uint8))
        self.labels = torch.from_numpy(rng.integers(0, 38, n))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class LeafModel(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = timm.create_model("vit_small_patch16_224", pretrained=False,
                                     img_size=SIZE, num_classes=38)

    def training_step(self, batch, _):
        images, labels = batch
        x = images.float().div_(127.5).sub_(1.0)
        loss = F.cross_entropy(self.net(x), labels)
        self.log("loss", loss)
        return loss

    def on_before_optimizer_step(self, optimizer):
        for name, p in self.net.named_parameters():
            if p.grad is not None:
                self.log(f"grad_norm/{name}", p.grad.norm().item())  # FAULT synchronisation device-idle
                self.log(f"weight_norm/{name}", p.detach().norm().item())  # FAULT synchronisation device-idle

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-4, fused=DEVICE == "cuda")


def main():
    L.seed_everything(0)
    workers = 0 if SMALL else 8
    loader = DataLoader(Leaves(IMAGES), batch_size=BATCH, shuffle=True, drop_last=True,
                        num_workers=workers, persistent_workers=workers > 0,
                        pin_memory=DEVICE == "cuda")
    trainer = L.Trainer(max_epochs=EPOCHS, accelerator="gpu" if DEVICE == "cuda" else "cpu",
                        devices=1, precision="bf16-mixed", logger=False,
                        enable_checkpointing=False, enable_progress_bar=False,
                        enable_model_summary=False, max_time={"seconds": 45})
    model = LeafModel()
    trainer.fit(model, loader)
    print(f"steps {trainer.global_step} loss {trainer.callback_metrics['loss'].item():.2f}")


if __name__ == "__main__":
    main()
