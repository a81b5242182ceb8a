# The tests that CPython and libraries of coroutines bring with them, bare and under libprof. Sourced by scripts/soak.

# How each test ended is compared, not how long it took; not that CPython leaves a test out where it sees a preload.
outcomes="grep -oE ' \.\.\. (FAIL|ERROR|skipped.*|expected failure|unexpected success)\$|^(FAIL|ERROR): .*|^Ran [0-9]+ tests|^(Tests r|R)esult: .*' |
  grep -v 'LD_PRELOAD is intercepting' | sort"

# Of these, what an interpreter has; names that came and went with its versions among them.
cpython_suites=(test_threading test_threadedtempfile test_threading_local test_subprocess test_signal test_fork1
  test_thread test_os test_posix test_faulthandler test_concurrent_futures test_multiprocessing_fork
  test_multiprocessing_forkserver test_multiprocessing_spawn test_asyncio test_mmap test_ctypes test_gc test_sys
  test_sys_setprofile test_sys_settrace test_monitoring test_exceptions test_exception_group test_generators
  test_coroutines test_asyncgen test_context test_io test_socket test_audit test_embed test_frame test_code test_select
  test_epoll test_poll test_selectors test_queue test_file test_fcntl test_largefile test_popen test_sched test_wait3
  test_wait4 test_pty test_tempfile test_interpreters test__interpreters test_free_threading test_weakref
  test_external_inspection test_perf_profiler)

soak_cpython() {
  local python version folder suite modes
  [ ${#pythons[@]} -gt 0 ] || pythons=(/usr/bin/python3)
  for python in "${pythons[@]}"; do
    read -r version folder < <("$python" -I -c 'import platform, sys, sysconfig, test
print(platform.python_version() + getattr(sys, "abiflags", ""), test.__path__[0])')
    for suite in "${cpython_suites[@]}"; do
      [ -e "$folder/$suite.py" ] || [ -d "$folder/$suite" ] || continue
      # These fail under any profile function: it has events of sys.monitoring's, of which the one wants none, and lets
      # CPython call what it inlines else, which the other one sees in the stack of a process.
      case $suite in
        test_monitoring | test_external_inspection) modes="default exact" ;;
        *) modes="default exact calls" ;;
      esac
      # Some virtual machines never answer on a vsock. A child that is given an empty environment has what the preload
      # and the run are in, and one test looks. Under any profile function (cProfile's, or one that does nothing) the
      # collection that test_sneaky_frame_object waits for comes earlier.
      compare_in "$modes" 3 "cpython.$version.$suite" \
        bash -c "$python -m test -v -i '*VSOCK*' -i test_empty_env -i test_sneaky_frame_object $suite 2>&1 | $outcomes"
    done
  done
}

# Each in a process of its own. Not those that look names up on the network.
gevent_suites=(api api_timeout contextvars core core_async core_callback core_fork core_loop_run core_stat core_timer
  core_watcher destroy event exc_info fileobject greenio greenlet greenletset hub hub_join hub_join_timeout issue112
  issue607 issue639 issue_728 iwait joinall local lock loop_callback monkey monkey_fork_atomic
  monkey_futures_thread_fork monkey_hub_in_thread monkey_logging monkey_queue monkey_select monkey_sigchld
  monkey_sigchld_2 monkey_sigchld_3 order os pool pywsgi queue real_greenlet refcount refcount_core select selectors
  semaphore server signal sleep0 socket socket_close socket_errors socketpair subprocess subprocess_interrupted
  subprocess_poll systemerror thread threading threading_2 threading_before_monkey threading_fork_from_dummy
  threading_no_monkey threading_patched_local threading_vs_settrace threadpool threadpool_executor_patched timeout util)

soak_libraries() {
  local python suite modes="default exact calls"
  python=$(host_venv suites greenlet gevent uvloop objgraph psutil setuptools wheel) || {
    row libraries - - - - - "SKIPPED: PyPI does not give gevent, uvloop and what their tests need"
    return 0
  }
  # With all calls two of its tests fail, as under any profile function: an event more, and a thread that is too slow.
  compare_in "default exact" 3 libraries.greenlet bash -c "cd / && $python -m unittest discover -v \
    -s \$($python -c 'import greenlet; print(greenlet.__path__[0])')/tests \
    -t \$($python -c 'import sysconfig; print(sysconfig.get_path(\"platlib\"))') 2>&1 | $outcomes"
  for suite in "${gevent_suites[@]}"; do
    compare_in "$modes" 3 "libraries.gevent.$suite" bash -c "$python -m gevent.tests.test__$suite -v 2>&1 | $outcomes"
  done
  # Its wheels come without tests, its source has them.
  if "$python" -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: -d uvloop \
    "uvloop==$("$python" -c 'import uvloop; print(uvloop.__version__)')" >&2; then
    mkdir -p uvloop/source && tar -xf uvloop/*.tar.gz -C uvloop/source --strip-components=1 && rm -rf uvloop/source/uvloop
    # A child that is given an empty environment: see test_empty_env above.
    sed -i 's/def test_process_env_2/def left_out_process_env_2/' uvloop/source/tests/test_process.py
    compare_in "$modes" 3 libraries.uvloop \
      bash -c "cd '$work/uvloop/source' && $python -m unittest discover -v -s tests -t . 2>&1 | $outcomes"
  else
    row libraries.uvloop - - - - - "SKIPPED: PyPI does not give uvloop's source"
  fi
}
