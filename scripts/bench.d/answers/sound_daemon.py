"""SOUND: an idle daemon."""
import time

for _ in range(6):
    time.sleep(0.5)
