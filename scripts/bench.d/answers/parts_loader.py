"""Load a parts list into SQLite through a small home-made ORM (session, identity map, autoflush).

What is wrong: Session.find() flushes first, and flush() finds out what has changed by comparing every
object in the session with its snapshot; a load of 3,500 parts asks for a supplier each time, so
6.3 million comparisons are made to find one new part at a time.

First screen should say: Session.flush(), called by find() once a row, walks through the whole identity
map (the loop with is_dirty()), quadratic in the number of rows, about 2 s; amount as
printed by `truth` (time in the search for changed objects).

Mend: keep a set of changed objects (filled by __setattr__), so that flush looks only at these.
"""
import random
import sqlite3
import time
import zlib


class Entity:
    table, columns = "", ()

    def __init__(self, **values):
        self.session = None
        self.snapshot = None
        for name in self.columns:
            setattr(self, name, values.get(name))

    def values(self):
        return tuple([getattr(self, name) for name in self.columns])

    def is_dirty(self):
        return self.snapshot != self.values()


class Supplier(Entity):
    table, columns = "supplier", ("id", "code", "name")


class Part(Entity):
    table, columns = "part", ("id", "sku", "supplier_id", "grams")


class Session:
    def __init__(self, db):
        self.db = db
        self.identity = {}
        self.searching = 0.0

    def add(self, entity):
        entity.session = self
        self.identity[entity.table, entity.id] = entity

    def flush(self):
        started = time.perf_counter()
        changed = [entity for entity in self.identity.values() if entity.is_dirty()]  # FAULT python-loop
        self.searching += time.perf_counter() - started
        for entity in changed:
            marks = ",".join("?" * len(entity.columns))
            self.db.execute(f"INSERT OR REPLACE INTO {entity.table} VALUES ({marks})", entity.values())
            entity.snapshot = entity.values()

    def find(self, kind, **wanted):
        self.flush()        # what is pending must be visible to the query
        (column, value), = wanted.items()
        row = self.db.execute(f"SELECT {','.join(kind.columns)} FROM {kind.table} WHERE {column} = ?",
                              (value,)).fetchone()
        if row is None:
            return None
        known = self.identity.get((kind.table, row[0]))
        if known is None:
            known = kind(**dict(zip(kind.columns, row)))
            known.snapshot = row
            self.add(known)
        return known

    def commit(self):
        self.flush()
        self.db.commit()


def read_parts(rnd, count=3500):
    for n in range(count):
        drawing = bytes(rnd.choices(b"0123456789 LMZ,.", k=420)) * 2
        yield n, f"P-{n:06d}", f"C{rnd.randrange(40):02d}", drawing


def weigh(drawing):
    """A stand-in for the geometry: the length of the drawn path, and its packed size."""
    path = sum(abs(a - b) for a, b in zip(drawing, drawing[1:]))
    return path + len(zlib.compress(drawing, 9))


def main():
    db = sqlite3.connect(":memory:")
    db.executescript("CREATE TABLE supplier (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);"
                     "CREATE TABLE part (id INTEGER PRIMARY KEY, sku TEXT, supplier_id INTEGER, grams INTEGER);")
    db.executemany("INSERT INTO supplier VALUES (?, ?, ?)", [(n, f"C{n:02d}", f"Supplier {n}") for n in range(40)])
    session = Session(db)
    for number, sku, code, drawing in read_parts(random.Random(5)):
        supplier = session.find(Supplier, code=code)
        session.add(Part(id=number, sku=sku, supplier_id=supplier.id, grams=weigh(drawing)))
    session.commit()
    print("%d parts, %d grams" % db.execute("SELECT count(*), sum(grams) FROM part").fetchone())
    print(f"truth {session.searching:.3f}")


if __name__ == "__main__":
    main()
