"""Import a supplier's XML catalogue into a price index and report on it.

What is wrong: the elements that iterparse() hands out are never cleared, so that the whole tree stays.
First screen should say: memory grows at the line of iterparse(), by some 450 MB.
Mend: root.clear() when a product is done with.
"""
import os
import random
import resource
import shutil
import tempfile
import xml.etree.ElementTree as ET
from collections import defaultdict

PRODUCTS = 150_000
USUAL = 178_000_000  # bytes, of the index
BRANDS = [f"Brand{n:03d}" for n in range(180)]
TRAITS = ["length", "width", "weight", "voltage"]


def write_feed(path):
    rng = random.Random(31)
    with open(path, "w", encoding="utf-8") as out:
        out.write("<catalogue supplier='nord'>\n")
        for number in range(PRODUCTS):
            out.write(f"<product sku='N{number:07d}' brand='{rng.choice(BRANDS)}'>")
            out.write(f"<title>Article {number} type {rng.randint(100, 999)}</title>")
            out.write(f"<price currency='EUR'>{rng.randint(100, 90000) / 100:.2f}</price>")
            for trait in TRAITS:
                out.write(f"<trait name='{trait}'>{rng.randint(1, 5000)}</trait>")
            out.write(f"<stock site='{rng.choice('ABC')}'>{rng.randint(0, 400)}</stock>")
            out.write("</product>\n")
        out.write("</catalogue>\n")


class PriceIndex:
    def __init__(self):
        self.by_sku = {}
        self.by_brand = defaultdict(list)
        self.stock = defaultdict(int)
        self.words = defaultdict(list)
        self.heaviest = (0, "")

    def add(self, product):
        sku = product.get("sku")
        price = round(float(product.findtext("price")) * 100)
        stock = product.find("stock")
        traits = {trait.get("name"): int(trait.text) for trait in product.iterfind("trait")}
        title = product.findtext("title")
        self.by_sku[sku] = (price, title, int(stock.text), traits)
        for word in title.split():
            self.words[word].append(sku)
        self.by_brand[product.get("brand")].append(sku)
        self.stock[stock.get("site")] += int(stock.text)
        self.heaviest = max(self.heaviest, (traits["weight"], sku))


def load(path):
    index = PriceIndex()
    for _, element in ET.iterparse(path, events=("end",)):  # FAULT host-memory-grows
        if element.tag == "product":
            index.add(element)
    return index


def report(index):
    print("products", len(index.by_sku))
    print("stock", dict(sorted(index.stock.items())))
    print("heaviest", index.heaviest)
    print("words", len(index.words), "type 500:", len(index.words["500"]))
    means = {
        brand: sum(index.by_sku[s][0] for s in skus) / len(skus)
        for brand, skus in index.by_brand.items()
    }
    for brand in sorted(means, key=means.get, reverse=True)[:5]:
        print(f"{brand} mean {means[brand] / 100:.2f} over {len(index.by_brand[brand])}")


def main():
    folder = tempfile.mkdtemp(prefix="feed")
    try:
        path = os.path.join(folder, "catalogue.xml")
        write_feed(path)
        report(load(path))
        print("truth", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - USUAL, "bytes")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
