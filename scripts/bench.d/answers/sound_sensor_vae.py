"""Train a variational autoencoder on sensor frames and flag unusual ones."""
import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self, width, hidden=256, latent=12):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def forward(self, x):
        h = self.encoder(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if self.training else mu
        return self.decoder(z), mu, logvar


def elbo(x, recon, mu, logvar):
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(dim=1).mean()
    return F.mse_loss(recon, x, reduction="sum") / len(x) + 0.1 * kl


def sensor_frames(n, width, seed):
    g = torch.Generator().manual_seed(seed)
    basis = torch.randn(8, width, generator=torch.Generator().manual_seed(99))
    return torch.randn(n, 8, generator=g) @ basis + 0.1 * torch.randn(n, width, generator=g)


def train_epoch(model, frames, optimizer, batch):
    model.train()
    total = torch.zeros(())
    order = torch.randperm(len(frames))
    for idx in order.split(batch):
        x = frames[idx]
        loss = elbo(x, *model(x))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.detach() * len(idx)
    return total.item() / len(frames)


@torch.no_grad()
def reconstruction_error(model, frames, batch=512):
    model.eval()
    parts = [(model(x)[0] - x).pow(2).mean(dim=1) for x in frames.split(batch)]
    return torch.cat(parts)


def main():
    torch.manual_seed(4)
    train, valid = sensor_frames(8192, 192, 1), sensor_frames(2048, 192, 2)
    model = VAE(192)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        print(f"epoch {epoch} loss {train_epoch(model, train, optimizer, 128):.3f}")
    errors = reconstruction_error(model, valid)
    print("threshold", round(errors.quantile(0.99).item(), 3), "worst", errors.topk(3).indices.tolist())
    torch.save(model.state_dict(), "vae.pt")


if __name__ == "__main__":
    main()
