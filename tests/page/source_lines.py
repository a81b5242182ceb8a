#!/usr/bin/env python3
"""source_lines.py PAGE: prints the source that a page holds."""

import sys

from page_data import PageData

for file in PageData.of(sys.argv[1]).header["source"]:
    for line in file.get("text", []):
        print(line)
