"""pip: makes an environment, builds a package of its own into it, asks for what is there, removes it."""
import os
import pathlib
import subprocess
import sys
import sysconfig

os.environ["PIP_NO_INDEX"] = os.environ["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
os.environ["PIP_CACHE_DIR"] = str(pathlib.Path("cache").absolute())
source = pathlib.Path("package")
(source / "small").mkdir(parents=True)
(source / "small/__init__.py").write_text("def answer():\n    return 42\n")
for n in range(60):
    (source / f"small/module{n}.py").write_text(f"def f(x):\n    return [x * i for i in range({n})]\n" * 40)
(source / "setup.py").write_text(
    "from setuptools import setup\n"
    "setup(name='small', version='1.2', packages=['small'], entry_points={'console_scripts': ['say=small:answer']})\n"
)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    sys.stderr.write(done.stdout + done.stderr)
    return done.returncode, done.stdout


for name in ["one"]:
    print(name, run(sys.executable, "-m", "venv", name)[0])
    python = f"{name}/bin/python"
    # Builds with this interpreter's own setuptools: nothing is downloaded.
    os.environ["PYTHONPATH"] = sysconfig.get_path("purelib")
    print("install", run(python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "./package")[0])
    del os.environ["PYTHONPATH"]
    print("list", [line.split() for line in run(python, "-m", "pip", "list")[1].splitlines() if "small" in line])
    print("use", run(python, "-c", "import small, small.module59; print(small.answer(), small.module59.f(3)[-1])"))
    print("script", run(f"{name}/bin/say")[0])
    print("check", run(python, "-m", "pip", "check"))
    print("remove", run(python, "-m", "pip", "uninstall", "-y", "small")[0], run(python, "-c", "import small")[0])
