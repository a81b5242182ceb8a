"""Monthly clean-up of the help desk: archives the closed tickets of tenants that
have left, deletes them and writes the figures of those that stay."""
import gzip
import json
import os
import random
import sqlite3
import tempfile
import time
from collections import Counter

SCHEMA = """
PRAGMA foreign_keys = ON;
PRAGMA synchronous = NORMAL;
CREATE TABLE tenant (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, left_on TEXT);
CREATE TABLE ticket (
    id INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,
    opened TEXT NOT NULL, state TEXT NOT NULL);
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    ticket_id INTEGER NOT NULL REFERENCES ticket(id) ON DELETE CASCADE,
    author TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX ticket_by_tenant ON ticket(tenant_id);
"""
TENANTS = 400
TICKETS = 9000
MESSAGES = 110000
WORDS = "printer invoice login reset screen slow order account phone update error thanks please again".split()


def tenant_rows():
    for number in range(TENANTS):
        yield number, f"tenant {number:03d}", "2024-03-31" if number % 50 == 3 else None


def ticket_rows(rng):
    for number in range(TICKETS):
        day = f"2023-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        yield number, rng.randrange(TENANTS), day, rng.choice(("open", "closed", "closed"))


def message_rows(rng):
    bodies = [" ".join(rng.choices(WORDS, k=rng.randint(6, 22))) for _ in range(1500)]
    for number in range(MESSAGES):
        yield number, rng.randrange(TICKETS), rng.choice(("agent", "guest")), rng.choice(bodies)


def build_help_desk(path):
    rng = random.Random(21)
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    with db:
        db.executemany("INSERT INTO tenant VALUES (?, ?, ?)", tenant_rows())
        db.executemany("INSERT INTO ticket VALUES (?, ?, ?, ?)", ticket_rows(rng))
        db.executemany("INSERT INTO message VALUES (?, ?, ?, ?)", message_rows(rng))
    return db


def archive_departed(db, folder):
    """One compressed file of tickets with their messages for each departed tenant."""
    rows = db.execute("""
        SELECT tenant.id, ticket.id, ticket.opened, message.author, message.body
        FROM message JOIN ticket ON ticket.id = message.ticket_id
                     JOIN tenant ON tenant.id = ticket.tenant_id
        WHERE tenant.left_on IS NOT NULL""")
    tenants = {}
    for tenant, ticket, opened, author, body in rows:
        record = tenants.setdefault(tenant, {}).setdefault(ticket, {"opened": opened, "messages": []})
        record["messages"].append((author, body))
    for tenant, tickets in tenants.items():
        with gzip.open(os.path.join(folder, f"tenant{tenant:03d}.json.gz"), "wt") as out:
            json.dump(tickets, out)
    return sorted(tenants)


def delete_departed(db, tenants):
    with db:
        for tenant in tenants:
            db.execute("DELETE FROM tenant WHERE id = ?", (tenant,))  # FAULT table-scans


def word_figures(db):
    """How often guests and agents use each word and each pair of words."""
    counts = {"agent": Counter(), "guest": Counter()}
    for author, body in db.execute("SELECT author, body FROM message"):
        words = body.split()
        counts[author].update(words)
        counts[author].update(zip(words, words[1:]))
    return counts


def backup(db, path):
    """All that stays, as compressed lines."""
    with gzip.open(path, "wt", compresslevel=7) as out:
        for row in db.execute("SELECT ticket_id, author, body FROM message ORDER BY id"):
            out.write(json.dumps(row) + "\n")
    return os.path.getsize(path)


def load_figures(db):
    """Tickets and messages of each tenant, the busiest first."""
    return db.execute("""
        SELECT tenant.name, count(DISTINCT ticket.id), count(*), avg(length(message.body))
        FROM message JOIN ticket ON ticket.id = message.ticket_id
                     JOIN tenant ON tenant.id = ticket.tenant_id
        GROUP BY tenant.id ORDER BY count(*) DESC LIMIT 5""").fetchall()


def check_archive(folder, tenants):
    total = 0
    for tenant in tenants:
        with gzip.open(os.path.join(folder, f"tenant{tenant:03d}.json.gz"), "rt") as source:
            total += sum(len(t["messages"]) for t in json.load(source).values())
    return total


def main():
    started = time.time()

    def report(what):
        print(f"{time.time() - started:5.1f} s  {what}")

    with tempfile.TemporaryDirectory() as folder:
        db = build_help_desk(os.path.join(folder, "desk.db"))
        report(f"{MESSAGES} messages loaded")
        departed = archive_departed(db, folder)
        kept = check_archive(folder, departed)
        report(f"{kept} messages of {len(departed)} tenants archived")
        began = time.perf_counter()
        delete_departed(db, departed)
        spent = time.perf_counter() - began
        left = db.execute("SELECT count(*) FROM message").fetchone()[0]
        report(f"deleted, {left} messages stay, sum is right: {left + kept == MESSAGES}")
        db.execute("VACUUM")
        figures = word_figures(db)
        report(f"most used by guests: {figures['guest'].most_common(2)}")
        report(f"backup of {backup(db, os.path.join(folder, 'desk.gz')) >> 10} KiB")
        for row in load_figures(db):
            print("       ", row)
        db.close()
    report("done")
    print(f"truth {spent:.3f}")


if __name__ == "__main__":
    main()
