"""Puts the logs of some services into one archive: writes them to the packer's standard input, then checks the archive."""
import hashlib
import io
import os
import random
import subprocess
import tarfile

SERVICES = ("mail", "web", "store", "search")
ARCHIVE = "logs.tar.xz"


def log(service, lines):
    draw = random.Random(service)
    parts = []
    for number in range(lines):
        chance = draw.random()
        parts.append(
            "%06d %s[%d]: request %08x took %d us, %d rows, peer 10.0.%d.%d"
            % (number, service, 900 + number % 7, int(chance * 2**32), chance * 9e4, chance * 1e3 % 50, number % 5, chance * 250)
        )
    return "\n".join(parts).encode()


class Packer:
    """A tar archive that goes through a process of xz."""

    def __init__(self, path):
        self.out = open(path, "wb")
        self.process = subprocess.Popen(["xz", "-2", "-T1", "-c"], stdin=subprocess.PIPE, stdout=self.out)
        self.tar = tarfile.open(fileobj=self.process.stdin, mode="w|", format=tarfile.USTAR_FORMAT)

    def add(self, name, data):
        member = tarfile.TarInfo(name)
        member.size = len(data)
        self.tar.addfile(member, io.BytesIO(data))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.tar.close()
        self.process.stdin.close()
        status = self.process.wait()
        self.out.close()
        if status:
            raise RuntimeError("xz ended with %d" % status)


def check(path, digests):
    with subprocess.Popen(["xz", "-dc", path], stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
            for member in tar:
                digest = hashlib.sha256()
                file = tar.extractfile(member)
                while part := file.read(1 << 18):
                    digest.update(part)
                if digests.pop(member.name) != digest.hexdigest():
                    raise RuntimeError("%s differs" % member.name)
        process.stdout.read()
    if process.returncode or digests:
        raise RuntimeError("the archive is not whole")


def main():
    digests = {}
    total = 0
    with Packer(ARCHIVE) as packer:
        for service in SERVICES:
            data = log(service, 75_000)
            name = "%s.log" % service
            digests[name] = hashlib.sha256(data).hexdigest()
            packer.add(name, data)
            total += len(data)
            print(name, len(data), digests[name][:16])
    check(ARCHIVE, digests)
    print("packed", total, "bytes to less than half:", os.path.getsize(ARCHIVE) * 2 < total)
    os.remove(ARCHIVE)


main()
