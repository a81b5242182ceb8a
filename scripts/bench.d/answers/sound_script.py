"""SOUND: a short tool with ordinary imports."""
import argparse
import collections
import email
import json
import logging
import sqlite3
import urllib.request
import xml.etree.ElementTree as ET


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=120_000)
    args = p.parse_args()
    root = ET.Element("r")
    for i in range(args.n):
        ET.SubElement(root, "e", id=str(i)).text = "v%d" % (i % 97)
    text = ET.tostring(root)
    back = ET.fromstring(text)
    counts = collections.Counter(e.text for e in back)
    print(json.dumps(counts.most_common(3)), len(text))


main()
