#include "report/symbols/pypy_log.hpp"

#include <string>
#include <vector>

#include "report/symbols/perf_map.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

// As PyPy 7.3 writes it of a loop whose every third turn is a bridge.
const std::string kLoop =
    "[cc3dfb35b0f1] {jit-backend-addr\n"
    "Loop 3 (f;/srv/app.py:3-5~#12 FOR_ITER) has address 0x107b to 0x1390 (bootstrap 0x10f0)\n"
    "       gc table: 0x1000\n"
    "       function: 0x10a0\n"
    "         resops: 0x112b\n"
    "       failures: 0x1390\n"
    "            end: 0x15b7\n"
    "[cc3dfb35d1f3] jit-backend-addr}\n"
    "[cc3dfb362c3d] {jit-log-opt-loop\n"
    "# Loop 3 (f;/srv/app.py:3-5~#12 FOR_ITER) : loop with 118 ops\n"
    "[p0, p1]\n"
    "+312: p2 = getfield_gc_r(p0, descr=<FieldP pypy.interpreter.pyframe.PyFrame.inst_pycode 64>)\n"
    "debug_merge_point(0, 0, 'f;/srv/app.py:3-5~#12 FOR_ITER')\n"
    "+320: guard_value(i5, 3, descr=<Guard0x7fa9f9d6ace0>) [p0, p2]\n"
    "debug_merge_point(0, 0, 'f;/srv/app.py:3-6~#16 LOAD_FAST')\n"
    "debug_merge_point(0, 0, 'f;/srv/app.py:3-7~#24 LOAD_FAST')\n"
    "+400: guard_isnull(p3)\n"
    "debug_merge_point(1, 1, 'twice;/srv/app.py:2-2~#0 LOAD_FAST')\n"
    "+450: i9 = int_add(i8, i8)\n"
    "debug_merge_point(1, 1, 'twice;/srv/app.py:2-2~#6 RETURN_VALUE')\n"
    "debug_merge_point(0, 0, 'f;/srv/app.py:3-7~#32 INPLACE_ADD')\n"
    "+500: i10 = int_add(i7, i9)\n"
    "+600: --end of the loop--\n"
    "[cc3dfb39c431] jit-log-opt-loop}\n";
const std::string kBridge =
    "[cc3dfb45307b] {jit-backend-addr\n"
    "bridge out of Guard 0x7fd98c3ecbc0 has address 0x2030 to 0x2080\n"
    "       gc table: 0x2000\n"
    "    jump target: 0x2030\n"
    "         resops: 0x203e\n"
    "       failures: 0x2080\n"
    "            end: 0x2096\n"
    "[cc3dfb454707] jit-backend-addr}\n";
const std::string kBridgesCode =
    "[cc3dfb4572cd] {jit-log-opt-bridge\n"
    "# bridge out of Guard 0x7fd98c3ecbc0 with 27 ops\n"
    "[p0]\n"
    "debug_merge_point(0, 0, 'f;/srv/app.py:3-9~#38 LOAD_FAST')\n"
    "+62: i3 = int_sub(i2, 1)\n"
    "[cc3dfb463c19] jit-log-opt-bridge}\n";

// The function and its line, and what it was compiled into.
std::vector<std::string> places(const std::string& log, std::uint64_t address) {
  const std::vector<std::uint64_t> addresses{address};
  const symbols::PerfMap map(symbols::map_of_pypy_log(log), addresses);
  std::vector<std::string> out;
  for (const symbols::MadeFunction& made : map.at(address)) {
    CHECK(made.maker == symbols::kMadeByPypy);
    out.push_back(made.name + ' ' + made.file + ':' + std::to_string(made.line) + ':' + std::to_string(made.at_line));
  }
  return out;
}
using Places = std::vector<std::string>;

}  // namespace

TEST_CASE("PyPy's log: each address has its line, and what the function was compiled into", "[symbols]") {
  CHECK(symbols::is_pypy_log(kLoop));
  const std::string log = kLoop + kBridge + kBridgesCode;
  CHECK(places(log, 0x109f).empty());
  CHECK(places(log, 0x10a0) == Places{"f /srv/app.py:3:5"});
  CHECK(places(log, 0x1000 + 399) == Places{"f /srv/app.py:3:5"});
  CHECK(places(log, 0x1000 + 400) == Places{"f /srv/app.py:3:7"});
  CHECK(places(log, 0x1000 + 450) == Places{"twice /srv/app.py:2:2", "f /srv/app.py:3:7"});
  CHECK(places(log, 0x1000 + 500) == Places{"f /srv/app.py:3:7"});
  CHECK(places(log, 0x1390) == Places{"f /srv/app.py:3:5"});  // where its guards fail
  CHECK(places(log, 0x15b7).empty());
  CHECK(places(log, 0x2030) == Places{"f /srv/app.py:3:9"});
  CHECK(places(log, 0x2095) == Places{"f /srv/app.py:3:9"});
}

TEST_CASE("PyPy's log: what it does not say of a part", "[symbols]") {
  const std::string only_addresses = kLoop.substr(0, kLoop.find("[cc3dfb362c3d]")) + kBridge;
  CHECK(places(only_addresses, 0x1200) == Places{"f /srv/app.py:3:5"});
  CHECK(places(only_addresses, 0x2040) == Places{"(PyPy's bridge) :0:0"});
  const std::string no_function =
      "[1] {jit-backend-addr\nLoop 2 (list.sort) has address 0x1 to 0x2\n function: 0x1000\n end: 0x1010\n";
  CHECK(places(no_function, 0x1000) == Places{"list.sort :0:0"});
  for (std::size_t size = 0; size < kLoop.size(); ++size) {  // of a process that was killed
    const Places found = places(kLoop.substr(0, size), 0x1000 + 450);
    CHECK(found.size() <= 2);
  }
  CHECK_FALSE(symbols::is_pypy_log("1000 10 first\n"));
  CHECK_FALSE(symbols::is_pypy_log("[p0, p1]\n"));
  CHECK_FALSE(symbols::is_pypy_log(""));
  CHECK(symbols::map_of_pypy_log("[1] {jit-log-opt-loop\n# Loop 9 (f) : loop\n+7: i1 = f()\n").empty());
}
