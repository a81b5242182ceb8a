"""Sound: stretches pass phrases in a pool of processes that keep their settings, in chunks.

Both processes are busy hashing all the time; there is nothing here that is worth mending.
"""
import hashlib
import multiprocessing

ROUNDS = 9000
settings = {}


def set_up(pepper):
    settings["pepper"] = pepper


def stretch(name):
    salt = hashlib.blake2b(name.encode(), key=settings["pepper"], digest_size=16).digest()
    key = hashlib.pbkdf2_hmac("sha256", name.encode(), salt, ROUNDS)
    return name, key.hex()


def main():
    names = [f"vault-{i:04d}" for i in range(2200)]
    keys = {}
    with multiprocessing.Pool(2, set_up, (b"some pepper",)) as pool:
        for name, key in pool.imap_unordered(stretch, names, chunksize=10):
            keys[name] = key
    whole = hashlib.sha256("".join(keys[name] for name in names).encode()).hexdigest()
    print("keys", len(keys), whole[:16])


if __name__ == "__main__":
    main()
