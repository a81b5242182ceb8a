"""Trains a small Q-net to keep a ball in the middle of a tilting table; plays
many tables at once, keeps the newest transitions in a ring of fixed size and
learns from random samples of it.

Sound.  A hasty profiler might say: "memory grows step by step: leak in
Ring.put" (the ring is allocated in one piece, its pages are touched as it
fills, and from step 150 on it stays as it is); "loss.item() in the loop" (once
per learning step, on the CPU: nothing to wait for); "target net copied"
(every 40 steps, 50 kB); "random indexing is slow" (that is what sampling is).
The time goes into the forward and backward passes of the Q-net.
"""
import torch
from torch import nn

torch.set_num_threads(1)

TABLES = 256
SEEN = 8            # numbers that the agent sees
FRAMES = 24         # how many of the last sights go into one state
TILTS = 5
STEPS = 210
RING = 150 * TABLES
BATCH = 128


class Tables:
    """Balls on tables, all moved at once."""

    def __init__(self, gen):
        self.gen = gen
        self.place = torch.zeros(TABLES, 2)
        self.speed = torch.randn(TABLES, 2, generator=gen) * 0.1
        self.past = torch.zeros(TABLES, FRAMES, SEEN)

    def look(self):
        now = torch.cat([self.place, self.speed, self.place.abs(), self.speed.abs()], dim=1)
        self.past = torch.cat([self.past[:, 1:], now.unsqueeze(1)], dim=1)
        return self.past.flatten(1)

    def tilt(self, action):
        push = (action.float() - 2) * 0.02
        self.speed[:, 0] += push
        self.speed[:, 1] -= push * 0.5
        self.speed += 0.01 * torch.randn(TABLES, 2, generator=self.gen)
        self.place += self.speed
        lost = self.place.abs().amax(dim=1) > 1
        reward = 0.1 - self.place.pow(2).sum(dim=1) - lost.float()
        self.place[lost] = 0
        self.speed[lost] = 0
        return reward, lost


class Ring:
    def __init__(self, gen):
        width = FRAMES * SEEN
        self.gen = gen
        self.state = torch.empty(RING, width)
        self.after = torch.empty(RING, width)
        self.action = torch.empty(RING, dtype=torch.long)
        self.reward = torch.empty(RING)
        self.lost = torch.empty(RING)
        self.at = self.filled = 0

    def put(self, state, action, reward, after, lost):
        here = slice(self.at, self.at + len(state))
        self.state[here] = state
        self.after[here] = after
        self.action[here] = action
        self.reward[here] = reward
        self.lost[here] = lost.float()
        self.at = (self.at + len(state)) % RING
        self.filled = min(RING, self.filled + len(state))

    def sample(self):
        pick = torch.randint(0, self.filled, (BATCH,), generator=self.gen)
        return self.state[pick], self.action[pick], self.reward[pick], self.after[pick], self.lost[pick]


def q_net():
    return nn.Sequential(nn.Linear(FRAMES * SEEN, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, TILTS))


class Agent:
    def __init__(self, gen):
        self.gen = gen
        self.net, self.target = q_net(), q_net()
        self.follow()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.rule = nn.SmoothL1Loss()

    def follow(self):
        self.target.load_state_dict(self.net.state_dict())

    @torch.no_grad()
    def act(self, state, curious):
        best = self.net(state).argmax(dim=1)
        free = torch.randint(0, TILTS, best.shape, generator=self.gen)
        return torch.where(torch.rand(best.shape, generator=self.gen) < curious, free, best)

    def learn(self, batch):
        state, action, reward, after, lost = batch
        with torch.no_grad():
            goal = reward + 0.97 * (1 - lost) * self.target(after).amax(dim=1)
        guess = self.net(state).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = self.rule(guess, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def main():
    torch.manual_seed(2)
    gen = torch.Generator().manual_seed(2)
    tables, ring, agent = Tables(gen), Ring(gen), Agent(gen)
    state = tables.look()
    losses, rewards = 0.0, 0.0
    for step in range(1, STEPS + 1):
        action = agent.act(state, max(0.05, 1 - step / 120))
        reward, lost = tables.tilt(action)
        after = tables.look()
        ring.put(state, action, reward, after, lost)
        state = after
        rewards += reward.mean().item()
        for _ in range(2):
            losses += agent.learn(ring.sample())
        if step % 40 == 0:
            agent.follow()
            print(f"step {step}  reward {rewards / 40:.3f}  loss {losses / 80:.4f}")
            losses = rewards = 0.0
    print("truth 0.000")


if __name__ == "__main__":
    main()
