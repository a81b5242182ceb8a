"""SOUND: tokenise and evaluate distinct arithmetic expressions (no repeated work)."""
import random


def tokens(text):
    i = 0
    n = len(text)
    while i < n:
        c = text[i]
        if c.isdigit():
            j = i
            while j < n and text[j].isdigit():
                j += 1
            yield "num", int(text[i:j])
            i = j
        elif c in "+-*()":
            yield c, None
            i += 1
        else:
            i += 1
    yield "end", None


class Parser:
    def __init__(self, text):
        self.stream = tokens(text)
        self.kind, self.value = next(self.stream)

    def advance(self):
        self.kind, self.value = next(self.stream)

    def factor(self):
        if self.kind == "num":
            v = self.value
            self.advance()
            return v
        if self.kind == "-":
            self.advance()
            return -self.factor()
        self.advance()
        v = self.expression()
        self.advance()
        return v

    def term(self):
        v = self.factor()
        while self.kind == "*":
            self.advance()
            v = v * self.factor() % 1_000_003
        return v

    def expression(self):
        v = self.term()
        while self.kind in "+-":
            op = self.kind
            self.advance()
            w = self.term()
            v = v + w if op == "+" else v - w
        return v


def generate(rng, depth):
    if depth == 0:
        return str(rng.randrange(1000))
    return "(%s %s %s)" % (generate(rng, depth - 1), rng.choice("+-*"), generate(rng, depth - 1))


def main():
    rng = random.Random(1)
    print(sum(Parser(generate(rng, 7)).expression() for _ in range(5000)))


main()
