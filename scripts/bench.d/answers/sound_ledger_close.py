"""Close a month's ledger: load postings into SQLite, check balances, write the statement as CSV.

Sound: nothing is wrong. One transaction, executemany, an index where it is needed, grouped queries; what is
left is the parsing, the decimal arithmetic and the signing, which the task asks for.
"""
import csv
import hashlib
import io
import random
import sqlite3
import time
from decimal import Decimal

ACCOUNTS, POSTINGS = 500, 270_000


def bank_file(rnd):
    for number in range(POSTINGS // 2):
        debit, credit = rnd.sample(range(ACCOUNTS), 2)
        amount = f"{rnd.randrange(100, 900_000) / 100:.2f}"
        day = f"2023-03-{rnd.randrange(1, 32):02d}"
        yield f"{number};{day};{debit};{amount};payment {number % 97}"
        yield f"{number};{day};{credit};-{amount};payment {number % 97}"


def parse(lines):
    for number, day, account, amount, text in csv.reader(lines, delimiter=";"):
        cents = int(Decimal(amount).scaleb(2))
        yield int(number), day, int(account), cents, text.strip().title()


class Ledger:
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE TABLE posting (number INT, day TEXT, account INT, cents INT, text TEXT)")

    def load(self, rows):
        with self.db:
            self.db.executemany("INSERT INTO posting VALUES (?, ?, ?, ?, ?)", rows)
            self.db.execute("CREATE INDEX posting_account ON posting(account, day)")

    def unbalanced(self):
        return self.db.execute("SELECT number FROM posting GROUP BY number HAVING sum(cents) <> 0").fetchall()

    def statements(self):
        query = "SELECT account, day, number, cents, text FROM posting ORDER BY account, day, number"
        account, rows = None, []
        for row in self.db.execute(query):
            if row[0] != account and rows:
                yield account, rows
                rows = []
            account = row[0]
            rows.append(row)
        if rows:
            yield account, rows


def statement(account, rows):
    out = io.StringIO()
    writer = csv.writer(out)
    balance = Decimal(0)
    for _, day, number, cents, text in rows:
        balance += Decimal(cents).scaleb(-2)
        writer.writerow((day, number, text, f"{Decimal(cents).scaleb(-2):.2f}", f"{balance:.2f}"))
    body = out.getvalue()
    return body, hashlib.pbkdf2_hmac("sha256", body.encode(), b"%d" % account, 2000).hex()


def main():
    started = time.perf_counter()
    ledger = Ledger()
    ledger.load(parse(bank_file(random.Random(4))))
    assert not ledger.unbalanced()
    size, seal = 0, hashlib.sha256()
    for account, rows in ledger.statements():
        body, signature = statement(account, rows)
        size += len(body)
        seal.update(signature.encode())
    print(f"{size} characters, seal {seal.hexdigest()[:16]}")
    print(f"total {time.perf_counter() - started:.3f}")


if __name__ == "__main__":
    main()
