"""Embed load curves with a temporal convolution network and probe the embeddings.

What is wrong: embed() keeps what encode() returns, a view of the last hour; each keeps the hidden state of all hours.
First screen should say: 700 MB lived at the peak for the views that the marked line keeps.
Mend: copy the rows (into one tensor that is made beforehand).
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


kept = 0  # bytes of what the rows are views of


class LoadCurves:
    """Daily and weekly cycles of many meters; the target is the next day's mean."""

    def __init__(self, meters, hours, seed):
        g = torch.Generator().manual_seed(seed)
        t = torch.arange(hours + 24).float()
        level = torch.rand(meters, 1, generator=g) + 0.5
        phase = torch.rand(meters, 1, generator=g) * 6.28
        daily = torch.sin(t * 6.2832 / 24 + phase)
        weekly = torch.sin(t * 6.2832 / 168 + 2 * phase)
        noise = torch.randn(meters, hours + 24, generator=g)
        series = level * (1 + 0.5 * daily + 0.3 * weekly) + 0.1 * noise
        self.window = series[:, :hours].contiguous()
        self.target = series[:, hours:].mean(1)

    def __len__(self):
        return self.window.size(0)

    def batches(self, size):
        for s in range(0, len(self), size):
            yield self.window[s:s + size], self.target[s:s + size]


class CausalBlock(nn.Module):
    def __init__(self, cin, cout, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.Conv1d(cin, cout, 3, dilation=dilation)
        self.skip = nn.Conv1d(cin, cout, 1)

    def forward(self, x):
        return F.relu(self.conv(F.pad(x, (self.pad, 0)))) + self.skip(x)


class TCN(nn.Module):
    def __init__(self, width=64, levels=3):
        super().__init__()
        blocks, cin = [], 1
        for i in range(levels):
            blocks.append(CausalBlock(cin, width, 2 ** i))
            cin = width
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(width, 1)

    def encode(self, x):
        """Hidden state of the last hour, one row per meter."""
        return self.blocks(x.unsqueeze(1))[:, :, -1]

    def forward(self, x):
        return self.head(self.encode(x)).squeeze(1)


def train(model, curves, batch, lr):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    losses = []
    for window, target in curves.batches(batch):
        loss = F.mse_loss(model(window), target)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def embed(model, curves, batch):
    model.eval()
    rows, targets = [], []
    for window, target in curves.batches(batch):
        rows.append(model.encode(window))  # FAULT kept-views host-memory-grows
        targets.append(target)
    global kept
    stores = {row.storage().data_ptr(): row.storage().nbytes() for row in rows}
    kept = max(kept, sum(stores.values()) - sum(row.numel() * row.element_size() for row in rows))
    return torch.cat(rows), torch.cat(targets)


def ridge_probe(x, y, lam):
    x = torch.cat([x, torch.ones(x.size(0), 1)], dim=1).double()
    gram = x.T @ x + lam * torch.eye(x.size(1), dtype=torch.double)
    coef = torch.linalg.solve(gram, x.T @ y.double())
    return lambda z: torch.cat([z, torch.ones(z.size(0), 1)], dim=1).double() @ coef


def main():
    torch.manual_seed(2)
    model = TCN()
    losses = train(model, LoadCurves(160, 336, seed=0), batch=16, lr=1e-3)
    print(f"training loss {losses[0]:.3f} -> {losses[-1]:.3f}")

    fit_x, fit_y = embed(model, LoadCurves(8192, 336, seed=1), batch=128)
    probe = ridge_probe(fit_x, fit_y, lam=1e-3)
    test_x, test_y = embed(model, LoadCurves(1536, 336, seed=2), batch=128)
    error = (probe(test_x) - test_y).abs().mean().item()
    print(f"embedded {fit_x.size(0)} + {test_x.size(0)} meters, probe error {error:.4f}")
    print("truth %d bytes" % kept)


if __name__ == "__main__":
    main()
