"""Imports a module that waits for something."""
import pathlib
import sys
import tempfile
import time

folder = tempfile.mkdtemp()
pathlib.Path(folder, "settings_of_mine.py").write_text("import time\ntime.sleep(1.5)\nvalue = 3\n")
sys.path.insert(0, folder)
began = time.perf_counter()
import settings_of_mine  # FAULT imports  # noqa: E402

print("truth", time.perf_counter() - began)
total = sum(i * i for i in range(2000000)) * settings_of_mine.value
