"""Train a byte-level language model on documents, window by window, one optimizer step per document.

What is wrong: the LSTM state is handed from window to window without detach();
to quiet "Trying to backward through the graph a second time" the author wrote
retain_graph=True, so the backward of window k runs through all k windows.
First screen should say: loss.backward(retain_graph=True) takes N seconds and
grows with each window of a document (the state of the earlier window is not
detached); N is what each backward takes beyond the first window's.
Mend: state = tuple(s.detach() for s in state) after each window, no retain_graph.
"""
import os
import random
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # the machine is shared: no spinning
import torch
from torch import nn

torch.set_num_threads(2)
WORDS = "the model reads a window of text and keeps its state for next one while loss falls".split()
WINDOW = 24
WINDOWS = 12


def make_document(rnd):
    text = ""
    while len(text) <= WINDOW * WINDOWS * 8:
        text += rnd.choice(WORDS) + rnd.choice([" ", " ", ", ", ".\n"])
    return text


class Vocabulary:
    def __init__(self, texts):
        self.chars = sorted(set("".join(texts)))
        self.number = {c: i for i, c in enumerate(self.chars)}

    def encode(self, text, rows=8):
        ids = torch.tensor([self.number[c] for c in text])
        cols = len(ids) // rows
        return ids[: rows * cols].view(rows, cols)


class CharLM(nn.Module):
    def __init__(self, n, width=64):
        super().__init__()
        self.emb = nn.Embedding(n, 48)
        self.rnn = nn.LSTM(48, width, batch_first=True)
        self.out = nn.Linear(width, n)

    def forward(self, x, state):
        h, state = self.rnn(self.emb(x), state)
        return self.out(h), state


class Clock:
    def __init__(self):
        self.base, self.extra = None, 0.0

    def add(self, seconds):
        if self.base is None:
            self.base = seconds
        self.extra += max(0.0, seconds - self.base)

    def new_document(self):
        self.base = None


def train_document(model, opt, ids, clock):
    state, losses = None, []
    opt.zero_grad()
    clock.new_document()
    for w in range(WINDOWS - 1):
        x = ids[:, w * WINDOW:(w + 1) * WINDOW]
        y = ids[:, w * WINDOW + 1:(w + 1) * WINDOW + 1]
        logits, state = model(x, state)
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), y) / WINDOWS
        t0 = time.perf_counter()
        loss.backward(retain_graph=True)  # FAULT retained-graphs
        clock.add(time.perf_counter() - t0)
        losses.append(loss.detach())
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    return float(torch.stack(losses).sum())


@torch.no_grad()
def sample(model, vocab, n):
    x, state, out = torch.zeros(1, 1, dtype=torch.long), None, []
    for _ in range(n):
        logits, state = model(x, state)
        x = torch.multinomial(logits[0].softmax(-1), 1)
        out.append(vocab.chars[int(x)])
    return "".join(out)


def main():
    torch.manual_seed(1)
    rnd = random.Random(1)
    docs = [make_document(rnd) for _ in range(7)]
    vocab, clock = Vocabulary(docs), Clock()
    model = CharLM(len(vocab.chars))
    opt = torch.optim.Adam(model.parameters(), 3e-3)
    for doc in docs:
        loss = train_document(model, opt, vocab.encode(doc), clock)
    print("loss %.3f sample %r" % (loss, sample(model, vocab, 300)[:30]))
    print("truth %.3f" % clock.extra)


if __name__ == "__main__":
    main()
