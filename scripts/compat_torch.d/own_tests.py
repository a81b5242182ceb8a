"""Runs PyTorch's own tests, bare and under libprof, and compares their outcomes test by test. Prints one line for each
file of tests. What comes out differently is tried again, and named if it keeps to it.

usage: own_tests.py PYTHON LIBRARY SOURCE WORK [FILE...]   LIBRARY: libprof.so; FILE: below SOURCE, default: FILES
       own_tests.py --run FILE RESULTS [TEST...]             what each interpreter is asked to do: all of a file, or those
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import unittest

FILES = ["test/profiler/test_profiler.py", "test/test_profiler.py", "test/profiler/test_profiler_tree.py",
         "test/profiler/test_record_function.py", "test/profiler/test_memory_profiler.py", "test/test_autograd.py",
         "test/test_jit_autocast.py", "test/test_dataloader.py", "test/test_multiprocessing.py"]
OPTIONS = {"default": "on", "all details": "shapes,memory"}  # of PROF_OPS
LIMIT = 1500  # seconds for a file
LEFT_OUT = {"test_profiler_name_pattern"}  # minutes of multiplying matrices where these are not multiplied fast


def flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def run(file, results, chosen):
    """In the interpreter under test. Each outcome is written at once: a crash leaves those before it."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    sys.path.insert(1, os.path.dirname(sys.path[0]) if sys.path[0].endswith("profiler") else sys.path[0])
    sys.argv = [file]
    spec = importlib.util.spec_from_file_location(os.path.basename(file)[:-3], file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    out = open(results, "a", buffering=1)

    class Result(unittest.TestResult):
        def startTest(self, test):
            super().startTest(test)
            self.outcome = "ok"

        def addError(self, test, err):
            super().addError(test, err)
            self.say("error", test, err)

        def addFailure(self, test, err):
            super().addFailure(test, err)
            self.say("failure", test, err)

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                self.say("failure", test, err)

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            self.outcome = "skipped"

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            self.outcome = "expected failure"

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            self.outcome = "unexpected success"

        def say(self, outcome, test, err):
            self.outcome = outcome
            print(test.id(), self._exc_info_to_string(err, test), file=sys.stderr)

        def stopTest(self, test):
            super().stopTest(test)
            out.write(json.dumps([test.id(), self.outcome]) + "\n")

    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(chosen, module) if chosen else loader.loadTestsFromModule(module)
    suite = unittest.TestSuite(test for test in flat(suite) if test.id().rsplit(".", 1)[-1] not in LEFT_OUT)
    suite.run(Result())


class Tests:
    def __init__(self, python, library, work):
        self.python, self.library, self.work = python, library, work
        self.runs = 0

    def outcomes(self, file, options=None, chosen=()):
        """By test, and how the process ended; under libprof where there are options."""
        self.runs += 1
        results = os.path.join(self.work, "results%d" % self.runs)
        environment = dict(os.environ)
        if options is not None:
            environment.update(LD_PRELOAD=self.library, PROF_OUT=results + ".run", PROF_QUIET="on", PROF_OPS=options)
        self.log = results + ".log"
        with open(self.log, "w") as log:
            command = [self.python, os.path.abspath(__file__), "--run", file, results, *chosen]
            try:
                status = subprocess.run(command, cwd=self.work, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                        stderr=log, timeout=LIMIT).returncode
            except subprocess.TimeoutExpired:
                status = "took too long"
        found = {}
        if os.path.exists(results):
            with open(results) as lines:
                found = dict(json.loads(line) for line in lines)
        shutil.rmtree(results + ".run", ignore_errors=True)
        return found, status

    def stays_different(self, file, options, test):
        name = test.split(".", 1)[1]  # behind the module
        for _ in range(3):
            bare, ours = self.outcomes(file, None, [name])[0], self.outcomes(file, options, [name])[0]
            if bare.get(test) is not None and bare.get(test) == ours.get(test):
                return False
        return True


def main():
    python, library, source, work = (os.path.abspath(path) for path in sys.argv[1:5])
    chosen = sys.argv[5:]
    tests = Tests(python, library, work)
    failed = False
    for name in chosen or FILES:
        file = os.path.join(source, name)
        if not os.path.exists(file):  # in this version
            if chosen:
                failed = True
                print("%-34s is not there" % name, flush=True)
            continue
        bare, bare_status = tests.outcomes(file)
        if not bare:
            failed = True
            print("%-34s could not be run" % name, flush=True)
            with open(tests.log) as log:
                print(log.read()[-1500:], file=sys.stderr)
            continue
        cells = []
        for label, options in OPTIONS.items():
            ours, status = tests.outcomes(file, options)
            differ = sorted(test for test in bare.keys() | ours.keys() if bare.get(test) != ours.get(test))
            wrong = ["%s: %s bare, %s under libprof" % (test, bare.get(test), ours.get(test)) for test in differ
                     if len(differ) > 50 or tests.stays_different(file, options, test)]
            if status != bare_status:
                wrong.append("status: %s bare, %s under libprof" % (bare_status, status))
            for line in wrong:
                print("%s, %s: %s" % (name, label, line), file=sys.stderr)
            cells.append("%s: %s" % (label, "%d DIFFER" % len(wrong) if wrong else "the same"))
            failed |= bool(wrong)
        passed = sum(outcome == "ok" for outcome in bare.values())
        print("%-34s %5d tests, %5d pass bare   %s" % (name, len(bare), passed, "   ".join(cells)), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":  # not in the children that tests spawn
    if sys.argv[1] == "--run":
        run(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        sys.exit(main())
