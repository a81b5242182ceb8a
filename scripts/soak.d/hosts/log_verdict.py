"""log_verdict.py REPORT.json RUN: says what is wrong with the logs of a run, as prof read them, one thing a line: what
prof complains of, logs that it did not read, and processes that died of a signal that nobody sends on purpose (a server
starts another worker, and all goes on)."""
import glob
import json
import signal
import sys

report = json.load(open(sys.argv[1]))
logs = len(glob.glob(sys.argv[2] + "/*.proflog"))
read = report["run"]["images"] + report["loss"]["empty_logs"]
# SIGUSR1: Erlang's inet_gethost ends its helpers with it.
meant = {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE, signal.SIGUSR1}
if read != logs:
    print(f"{read} of {logs} logs read")
for warning in report["loss"]["warnings"]:
    print("UNREADABLE log:", warning)
for process in report["processes"]:
    code = process["exit_code"]
    if process["end"] == "killed" and code is not None and -code not in meant:
        print(f"DIED of signal {-code}: {process['pid']} {' '.join(process['argv'])[:100]}")
