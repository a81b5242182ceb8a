"""pytest with xdist: tests that pass, fail, are skipped, take fixtures, capture output and kill their worker."""
import re
import subprocess
import sys

TESTS = '''
import os, subprocess, sys, threading, time, pytest

@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("server") / "file"
    path.write_text("x" * 1000)
    yield path

@pytest.mark.parametrize("n", range(150))
def test_numbers(n, server, capsys):
    print(sum(i * n for i in range(5000)))
    assert str(n * 12497500) in capsys.readouterr().out
    assert len(server.read_text()) == 1000

@pytest.mark.parametrize("n", range(10))
def test_wrong(n):
    assert n % 2 == 0, f"{n} is odd"

def test_thread(monkeypatch):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(threading.get_ident())); thread.start(); thread.join()
    monkeypatch.setenv("NAME", "value")
    assert subprocess.check_output([sys.executable, "-c", "import os; print(os.environ['NAME'])"]) == b"value\\n"

def test_output(capfd):
    os.system("echo from a child")
    assert capfd.readouterr().out == "from a child\\n"

def test_dies():
    os._exit(7)

@pytest.mark.skip
def test_skipped(): pass

@pytest.mark.xfail
def test_known(): raise KeyError
'''

with open("test_all.py", "w") as file:
    file.write(TESTS)
done = subprocess.run(
    [sys.executable, "-m", "pytest", "-n", "3", "-q", "-p", "no:cacheprovider", "test_all.py"], capture_output=True, text=True
)
sys.stderr.write(done.stdout + done.stderr)
print("exit", done.returncode, sorted(re.findall(r"^FAILED (\S+)", done.stdout, re.M)))
print(re.search(r"=* ?(\d+ failed.*?) in ", done.stdout)[1])
