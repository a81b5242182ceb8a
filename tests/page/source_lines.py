#!/usr/bin/env python3
"""source_lines.py PAGE: prints the source that a page holds. source_lines.py PAGE anywhere TEXT: whether a text stands
anywhere in it: "yes" or "no"."""

import json
import sys

from page_data import PageData

page = PageData.of(sys.argv[1])
if len(sys.argv) > 3:
    print("yes" if sys.argv[3] in json.dumps(page.header) else "no")
    sys.exit()
for file in page.header["source"]:
    for line in file.get("text", []):
        print(line)
