"""Character-level GRU that learns place names and then invents new ones.

What is wrong: generate() gives the GRU all letters so far for each one that it adds, for several names one after the other.
First screen should say: the line that calls the model computes its whole input anew for each letter.
Mend: keep the state that the GRU returns, and give it the new letter alone.
"""
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

STARTS = ["North", "East", "Lower", "Upper", "Saint", "Old", "New", "Great", "Little", "High"]
STEMS = ["ash", "brook", "crane", "dun", "elm", "fair", "glen", "hart", "iver", "kings",
         "lang", "mill", "nor", "oak", "pen", "rock", "stan", "thorn", "wick", "yar"]
ENDS = ["ford", "ham", "ton", "bury", "field", "gate", "ley", "mouth", "stead", "worth"]
EOS = "\n"


class CharVocab:
    def __init__(self, text):
        self.itos = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return torch.tensor([self.stoi[c] for c in text], dtype=torch.long)

    def decode(self, ids):
        return "".join(self.itos[i] for i in ids)


def build_corpus(n, seed):
    rng = random.Random(seed)
    names = []
    for _ in range(n):
        name = rng.choice(STEMS) + rng.choice(ENDS)
        if rng.random() < 0.5:
            name = rng.choice(STARTS) + " " + name.capitalize()
        names.append(name.capitalize())
    return EOS.join(names) + EOS


class CharGRU(nn.Module):
    def __init__(self, vocab_size, dim=48, hidden=96):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim)
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab_size)

    def forward(self, ids, state=None):
        h, state = self.gru(self.embed(ids), state)
        return self.out(h), state


class WindowBatcher:
    """Yields (input, target) windows taken at random places of the corpus."""

    def __init__(self, ids, window, batch, seed):
        self.ids, self.window, self.batch = ids, window, batch
        self.gen = torch.Generator().manual_seed(seed)

    def draw(self):
        at = torch.randint(0, len(self.ids) - self.window - 1, (self.batch,), generator=self.gen)
        index = at[:, None] + torch.arange(self.window + 1)
        chunk = self.ids[index]
        return chunk[:, :-1], chunk[:, 1:]


class Trainer:
    def __init__(self, model, batcher, lr=4e-3):
        self.model, self.batcher = model, batcher
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def fit(self, steps, report):
        self.model.train()
        for step in range(1, steps + 1):
            x, y = self.batcher.draw()
            logits, _ = self.model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            if step % report == 0:
                print(f"step {step}: loss {loss.item():.3f}")


class Sampler:
    def __init__(self, model, vocab, temperature=0.8, seed=11):
        self.model, self.vocab, self.temperature = model, vocab, temperature
        self.gen = torch.Generator().manual_seed(seed)
        self.spent = 0.0

    def pick(self, logits):
        probs = F.softmax(logits / self.temperature, dim=-1)
        return torch.multinomial(probs, 1, generator=self.gen)

    @torch.no_grad()
    def generate(self, prompts, length):
        self.model.eval()
        ids = torch.stack([self.vocab.encode(p) for p in prompts])
        for _ in range(length):
            began = time.perf_counter()
            logits, _ = self.model(ids)  # FAULT recomputed-prefix
            self.spent += time.perf_counter() - began
            nxt = self.pick(logits[:, -1])
            ids = torch.cat([ids, nxt], dim=1)
        return [self.vocab.decode(row.tolist()) for row in ids]


def novelty(texts, corpus):
    known = set(corpus.split(EOS))
    made = [n for t in texts for n in t.split(EOS)[1:-1] if n]
    return len(made), sum(n not in known for n in made)


def main():
    torch.manual_seed(5)
    corpus = build_corpus(4000, seed=1)
    vocab = CharVocab(corpus)
    model = CharGRU(len(vocab))
    Trainer(model, WindowBatcher(vocab.encode(corpus), 48, 24, seed=2)).fit(30, report=10)

    sampler = Sampler(model, vocab)
    texts = []
    for _ in range(2):
        texts += sampler.generate([EOS] * 8, length=120)
    made, new = novelty(texts, corpus)
    print(f"invented {made} names, {new} of them new, e.g.",
          ", ".join(texts[0].split(EOS)[1:4]))
    print("truth %.3f" % sampler.spent)


if __name__ == "__main__":
    main()
