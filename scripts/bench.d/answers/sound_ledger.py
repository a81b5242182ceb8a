"""Sound: books postings into a ledger database in one transaction and asks it for balances by an index.

Decimal arithmetic, checks and SQLite share the time; there is nothing here that is worth mending.
"""
import decimal
import os
import sqlite3
import tempfile

ACCOUNTS = 900
POSTINGS = 600000


def postings():
    state = 4321
    for number in range(POSTINGS):
        state = (state * 1103515245 + 12345) % 2 ** 31
        yield number, state % ACCOUNTS, (state >> 7) % ACCOUNTS, (state >> 9) % 500000


class Ledger:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("CREATE TABLE posting (number INTEGER PRIMARY KEY, account INTEGER, cents INTEGER, day INTEGER)")

    def entries(self):
        for number, giver, taker, cents in postings():
            if giver == taker:
                continue
            fee = int((decimal.Decimal(cents) * decimal.Decimal("0.0025")).to_integral_value(decimal.ROUND_HALF_EVEN))
            day = number * 365 // POSTINGS
            yield 2 * number, giver, -cents - fee, day
            yield 2 * number + 1, taker, cents, day

    def book(self):
        with self.db:
            self.db.executemany("INSERT INTO posting VALUES (?, ?, ?, ?)", self.entries())
            self.db.execute("CREATE INDEX posting_account ON posting (account, day, cents)")

    def statement(self, account):
        rows = self.db.execute("SELECT day, sum(cents) FROM posting WHERE account = ? GROUP BY day ORDER BY day", (account,))
        balance, lowest = decimal.Decimal(0), decimal.Decimal(0)
        for _, cents in rows:
            balance += decimal.Decimal(cents) / 100
            lowest = min(lowest, balance)
        return balance, lowest


with tempfile.TemporaryDirectory(dir=".") as folder:
    ledger = Ledger(os.path.join(folder, "ledger.db"))
    ledger.book()
    statements = [ledger.statement(account) for account in range(ACCOUNTS)]
    print("total", sum(balance for balance, _ in statements), "lowest", min(lowest for _, lowest in statements))
    ledger.db.close()
