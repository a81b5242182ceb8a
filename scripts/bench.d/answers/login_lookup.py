"""Replays a day of logins against a user database.

What is wrong: the query compares lower(email) while the index is on email, so SQLite cannot use it and walks the whole
table for every login.
First screen should say: the time is inside sqlite3 (execute/fetchone in Users.by_email), 2 ms for each of 1050 calls: a
full table scan - look at the query's plan.
Mend: index the expression that is asked for: CREATE INDEX ... ON users(lower(email)).
"""
import hashlib
import os
import random
import sqlite3
import tempfile
import time

USERS = 24000
LOGINS = 1050


class Users:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.asking = 0.0
        self.asked = 0

    def create(self, rows):
        with self.db:
            self.db.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, name TEXT, salt BLOB, secret BLOB)")
            self.db.executemany("INSERT INTO users (email, name, salt, secret) VALUES (?, ?, ?, ?)", rows)
            self.db.execute("CREATE INDEX users_by_email ON users (email)")

    def by_email(self, email):
        began = time.perf_counter()
        row = self.db.execute("SELECT id, name, salt, secret FROM users WHERE lower(email) = ?",  # FAULT table-scans
                              (email.lower(),)).fetchone()  # FAULT table-scans
        self.asking += time.perf_counter() - began
        self.asked += 1
        return row

    def touch(self, number):
        return self.db.execute("SELECT email FROM users WHERE id = ?", (number,)).fetchone()[0]


def make_rows(rng):
    for i in range(USERS):
        salt = i.to_bytes(8, "big")
        yield (f"User.{i * 7919 % USERS}@Mail{i % 90}.Example", f"User Number {i}", salt,
               hashlib.pbkdf2_hmac("sha256", b"secret%d" % (i % 50), salt, 1))


def logins(rng):
    for _ in range(LOGINS):
        i = rng.randrange(USERS)
        yield f"user.{i * 7919 % USERS}@mail{i % 90}.example", b"secret%d" % (i % 50 if rng.random() < 0.9 else 51)


def check(row, password):
    proof = hashlib.pbkdf2_hmac("sha256", password, row[2], 1)
    stretched = hashlib.pbkdf2_hmac("sha256", password, row[2], 900)
    return proof == row[3], stretched


def main(path):
    rng = random.Random(5)
    users = Users(path)
    users.create(make_rows(rng))
    good = bad = 0
    for email, password in logins(rng):
        row = users.by_email(email)
        right, _ = check(row, password)
        good, bad = good + right, bad + (not right)
    print("good", good, "bad", bad)
    began = time.perf_counter()
    for i in range(1, 101):
        users.touch(i * 200)
    print("truth", users.asking - users.asked * (time.perf_counter() - began) / 100)


with tempfile.TemporaryDirectory(dir=".") as folder:
    main(os.path.join(folder, "users.db"))
