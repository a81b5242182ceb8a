// CUPTI as it may be: of any version, late, lossy, refusing, in use by the program itself.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

Command work(const std::string& kind, int count, const TempDir& temp, int toolkit = 12) {
  return with_gpu(Command::victim("gpu_work" + std::to_string(toolkit), {kind, std::to_string(count)}), temp / "ledger",
                  {toolkit});
}

std::string shown(const TempDir& temp, const std::vector<std::string>& how) {
  std::vector<std::string> words{prof_program().string(), "report", (temp / "run").string()};
  words.insert(words.end(), how.begin(), how.end());
  const Outcome outcome = Command(words).run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  return outcome.out;
}

std::string summary(const TempDir& temp) { return shown(temp, {}); }
std::string notes(const TempDir& temp) { return shown(temp, {"--view", "kernels"}); }

}  // namespace

TEST_CASE("CUPTI of versions that are not the toolkit's own is read by its version") {
  for (const auto& [toolkit, version] :
       std::vector<std::pair<int, const char*>>{{11, "13"}, {11, "14"}, {11, "17"}, {12, "28"}, {13, "130100"}}) {
    INFO("CUPTI " << version);
    TempDir temp;
    check_survives(work("streams", 100, temp, toolkit).set("FAKE_CUPTI_VERSION", version), temp / "run");
    check_gpu_truth(Report::of(temp / "run"), Ledger(temp / "ledger"));
  }
}

TEST_CASE("records of kinds that nobody knows are passed over") {
  TempDir temp;
  check_survives(work("copies", 20, temp).set("FAKE_CUPTI_UNKNOWN", "2"), temp / "run");
  check_gpu_truth(Report::of(temp / "run"), Ledger(temp / "ledger"));
}

// Catches bytes that are counted on the way to the host and on the way from it.
TEST_CASE("a copy between devices without a direct path is one of its bytes, and no copy of the host's") {
  TempDir temp;
  check_survives(work("copies", 20, temp).set("FAKE_CUPTI_PEERS_BY_HOST", "1"), temp / "run");
  const Report report = Report::of(temp / "run");
  const Ledger ledger(temp / "ledger");
  const Tally truth = ledger.copies("PtoP"), seen = reported_copies(report, "PtoP");
  REQUIRE(truth.count > 0);
  CHECK(seen.count == 2 * truth.count);  // one on each of the two devices
  CHECK(seen.bytes == truth.bytes);
  CHECK(seen.total_ns == truth.total_ns);
  for (const char* kind : {"HtoD", "DtoH"}) CHECK(reported_copies(report, kind).bytes == ledger.copies(kind).bytes);
}

TEST_CASE("device work whose records come late is not lost, and hangs where it belongs") {
  TempDir temp;
  check_survives(work("threads", 100, temp).set("FAKE_CUPTI_DELAY_MS", "700"), temp / "run");
  const Report report = Report::of(temp / "run");
  check_gpu_truth(report, Ledger(temp / "ledger"));
}

// Catches links that are taken for granted once some came: they may end in the middle of a run.
TEST_CASE("a CUPTI that says who made a call only of whole kinds of calls is asked for these") {
  for (const char* from : {"1", "300"}) {
    INFO("from the call " << from);
    TempDir temp;
    check_survives(work("gaps", 1200, temp).set("FAKE_CUPTI_WHOLE_KINDS", from), temp / "run");
    const Report report = Report::of(temp / "run");
    const long long unseen = report.section("loss").at("reasons").at("device_unlinked").get<long long>();
    const auto all = static_cast<long long>(Ledger(temp / "ledger").kernels().count);
    CHECK(unseen >= 16);
    CHECK(unseen < all - 100);
    CHECK(reported_kernels(report).count == all);
    CHECK(notes(temp).find("asked for all") != std::string::npos);
  }
}

// Catches a CUPTI that is left without any room for times.
TEST_CASE("where the times of kernels in graphs are kept until there is no room, graphs are told of") {
  TempDir temp;
  check_survives(work("graphs", 40000, temp).set("PROF_CUDA_GRAPH", "node").set("FAKE_CUPTI_KEEPS_TIMES", "13"),
                 temp / "run");
  const Report report = Report::of(temp / "run");
  long long timed = 0, whole = reported_kernels(report).count;
  for (const char* kernel : {"graph_a_30us", "graph_b_70us"}) {
    const long long each = std::string(kernel) == "graph_a_30us" ? 30'000 : 70'000;
    timed += reported_kernels(report, kernel).total_ns / each;
    whole -= reported_kernels(report, kernel).count;
  }
  CHECK(timed == 250 * 13);  // CUPTI's own limit
  CHECK(whole > 0);
  CHECK(notes(temp).find("each graph is one") != std::string::npos);
}

TEST_CASE("records that CUPTI drops are counted as lost") {
  TempDir temp;
  check_survives(work("streams", 200, temp).set("FAKE_CUPTI_DROP", "10"), temp / "run");
  const Ledger ledger(temp / "ledger");
  const auto dropped = static_cast<long long>(ledger.of("dropped").size());
  REQUIRE(dropped == 25);
  const Report report = Report::of(temp / "run");
  CHECK(reported_kernels(report).count == ledger.kernels().count - dropped);
  CHECK(report.section("loss").at("reasons").at("device_dropped").get<long long>() == dropped);
}

// Catches times of a zero or of less than nothing that are added up.
TEST_CASE("records without usable times are counted, their times are not") {
  for (const char* how : {"FAKE_CUPTI_ZERO", "FAKE_CUPTI_BACKWARDS"}) {
    INFO(how);
    TempDir temp;
    check_survives(work("streams", 200, temp).set(how, "5"), temp / "run");
    const Ledger ledger(temp / "ledger");
    long long untimed_ns = 0, untimed = 0;
    for (const Json& line : ledger.of("untimed")) {
      untimed_ns += line.at("name") == "long_300us" ? 300'000 : 20'000;
      ++untimed;
    }
    REQUIRE(untimed == 50);
    const Report report = Report::of(temp / "run");
    CHECK(reported_kernels(report).count == ledger.kernels().count);
    CHECK(reported_kernels(report).total_ns == ledger.kernels().total_ns - untimed_ns);
    CHECK(report.section("loss").at("reasons").at("device_invalid").get<long long>() == untimed);
  }
}

// Catches a profiler that dies of an error, falls silent about it, or gives up more than what the error is about.
TEST_CASE("whatever CUPTI answers, the calls on the host are told, and why the device's are not") {
  for (const int error : {1, 7, 8, 11, 13, 14, 15, 21, 23, 27, 33, 35, 38, 39, 40, 41, 42, 43, 44, 45, 999}) {
    INFO("error " << error);
    TempDir temp;
    check_survives(work("streams", 40, temp).set("FAKE_CUPTI_FAIL", "cuptiActivityEnable:*:" + std::to_string(error)),
                   temp / "run");
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, Ledger(temp / "ledger"), false);
    CHECK(report.section("kernels").is_null());
    const std::string text = summary(temp);
    INFO(text);
    CHECK(text.find("CUPTI") != std::string::npos);
    CHECK(text.find(std::to_string(error)) != std::string::npos);
  }
}

TEST_CASE("missing privileges for CUPTI are said with what helps") {
  TempDir temp;
  check_survives(work("streams", 40, temp).set("FAKE_CUPTI_FAIL", "cuptiActivityEnable:*:35"), temp / "run");
  const std::string text = summary(temp);
  INFO(text);
  CHECK(text.find("NVreg_RestrictProfilingToAdminUsers") != std::string::npos);
}

TEST_CASE("one kind of record that CUPTI refuses costs that kind alone") {
  TempDir temp;
  check_survives(work("copies", 20, temp).set("FAKE_CUPTI_FAIL", "cuptiActivityEnable:2:21"), temp / "run");
  const Report report = Report::of(temp / "run");
  const Ledger ledger(temp / "ledger");
  CHECK(reported_copies(report, "HtoD").total_ns == ledger.copies("HtoD").total_ns);
  CHECK(reported_copies(report, "DtoH").total_ns == ledger.copies("DtoH").total_ns);
  CHECK(reported_copies(report, "memset").count == 0);
}

TEST_CASE("each function of CUPTI may fail alone") {
  for (const char* function :
       {"cuptiGetVersion", "cuptiActivityRegisterCallbacks", "cuptiActivityRegisterTimestampCallback",
        "cuptiSetThreadIdType", "cuptiActivitySetAttribute", "cuptiActivityFlushAll", "cuptiSubscribe",
        "cuptiActivityPushExternalCorrelationId", "cuptiActivityPopExternalCorrelationId",
        "cuptiActivityEnableRuntimeApi", "cuptiActivityEnableDriverApi", "cuptiEnableCallback"}) {
    INFO(function);
    TempDir temp;
    check_survives(work("streams", 40, temp).set("FAKE_CUPTI_FAIL", std::string(function) + ":*:999"), temp / "run");
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, Ledger(temp / "ledger"), false);
  }
}

TEST_CASE("a CUPTI that initialises the driver itself is survived") {
  TempDir temp;
  check_survives(work("streams", 40, temp).set("FAKE_CUPTI_INIT", "1"), temp / "run");
  check_gpu_truth(Report::of(temp / "run"), Ledger(temp / "ledger"));
}

// As torch.profiler is, in one process with us: it gets what it gets alone, and we lose nothing.
TEST_CASE("a program that profiles itself with CUPTI gets its own result, and we get ours") {
  for (const char* how : {"once", "window", "twice", "finalize", "clock", "graph"}) {
    INFO(how);
    TempDir temp;
    const BothWays both = run_both_ways(with_gpu(Command::victim("gpu_kineto", {how}), temp / "ledger"), temp / "run");
    check_same(both);
    REQUIRE(both.with.ok());
    const Ledger ledger(temp / "ledger", both.with.pid);
    CHECK(ledger.of("misuse").empty());
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, ledger, false);
    if (std::string(how) == "finalize") continue;  // what came after it may be missing, and is said to be
    for (const char* kernel : {"inside_60us", "outside_40us"}) {
      INFO(kernel);
      const Tally truth = ledger.kernels(kernel), seen = reported_kernels(report, kernel);
      CHECK(seen.count == truth.count);
      CHECK(seen.total_ns == truth.total_ns);
    }
    // A client's end takes away nothing: who launched what is known afterwards, too.
    CHECK(report.section("loss").at("reasons").at("device_unlinked") == 0);
    CHECK(reported_copies(report, "HtoD").count == ledger.copies("HtoD").count);
  }
}

TEST_CASE("a client that reaches CUPTI past us is told that it is taken, unless callbacks are off") {
  for (const char* callbacks : {"auto", "off"}) {
    INFO(callbacks);
    TempDir temp;
    const Command command =
        with_gpu(Command::victim("gpu_kineto", {"past"}), temp / "ledger").set("PROF_CUDA_CALLBACKS", callbacks);
    const BothWays both = run_both_ways(command, temp / "run");
    REQUIRE(both.with.ok());
    CHECK(both.alone.out == "subscribed_past 0\n");
    CHECK(both.with.out == (callbacks == std::string("auto") ? "subscribed_past 39\n" : "subscribed_past 0\n"));
    const Ledger ledger(temp / "ledger", both.with.pid);
    CHECK(reported_kernels(Report::of(temp / "run"), "outside_40us").count == ledger.kernels("outside_40us").count);
  }
}

// Catches a PyTorch that has CUPTI linked in, which nobody sees, and is told that CUPTI is taken.
TEST_CASE("where PyTorch has a CUPTI of its own inside, the subscription is left to it") {
  for (const bool inside : {false, true}) {
    INFO("inside " << inside);
    TempDir temp;
    std::vector<std::string> how{"subscribe"};
    if (inside) {
      const auto library = temp / "libtorch_cuda.so";  // any library: it is known by its name
      std::filesystem::copy_file(victim_path("gpu_c10.so"), library);
      how.push_back(library.string());
    }
    const Outcome run = with_gpu(Command::victim("gpu_thread", how), temp / "ledger").profiled(temp / "run").run();
    INFO(run);
    REQUIRE(run.ok());
    CHECK(run.fact("subscribed_past") == (inside ? 0 : 39));
    CHECK(reported_kernels(Report::of(temp / "run"), "work_200us").count == 5);
  }
}

namespace {

// `toolkit`: 133 stands for a CUPTI whose subscribers may have records of their own.
Command tool(const char* how, const char* when, int toolkit, const TempDir& temp) {
  const std::vector<int> toolkits = toolkit == 133 ? std::vector<int>{133, 13} : std::vector<int>{toolkit};
  return with_gpu(Command::victim("gpu_tool" + std::to_string(toolkit == 133 ? 13 : toolkit), {how, when}),
                  temp / "ledger", toolkits);
}

}  // namespace

// Catches a tool that is told that CUPTI is taken, or that gets other records or callbacks than alone; and one that
// loses them when it asks for kernels one after the other, which CUPTI refuses beside ours.
TEST_CASE("a tool that loads CUPTI itself gets its own result, and we get ours") {
  for (const int toolkit : {12, 13, 133}) {
    for (const char* how : {"process", "serial", "context", "finalize"}) {
      for (const char* when : {"first", "later"}) {
        INFO(how << ' ' << when << ", toolkit " << toolkit);
        TempDir temp;
        const BothWays both = run_both_ways(tool(how, when, toolkit, temp), temp / "run");
        check_same(both);
        REQUIRE(both.with.ok());
        CHECK(both.with.out.find("failures 0\n") != std::string::npos);
        const Report report = Report::of(temp / "run");
        check_gpu_truth(report, Ledger(temp / "ledger", both.with.pid));
        CHECK(report.section("loss").at("reasons").at("device_unlinked") == 0);
      }
    }
  }
}

// Catches a profiler that uses one libcupti while Triton's uses the one that came with Triton: the driver lets one of
// them in. Without Triton's profiler to show it, the report says how both can have the same.
TEST_CASE("a tool with a CUPTI of its own besides the one that we find gets its own result, and we get ours") {
  for (const char* how : {"proton", "chosen", "unknown"}) {
    INFO(how);
    TempDir temp;
    const auto own = temp / "backends/nvidia/lib/cupti/libcupti.so", proton = temp / "_C/libproton.so";
    std::filesystem::create_directories(own.parent_path());
    std::filesystem::create_directories(proton.parent_path());
    std::filesystem::copy_file(fakes_dir() / "13/libcupti.so.13", own);
    std::filesystem::copy_file(victim_path("gpu_c10.so"), proton);  // any library: it is known by its name
    Command command = tool("process", "later", 13, temp).set("TOOL_CUPTI", own.string());
    if (how == std::string("proton")) command.set("TOOL_LOADS", proton.string());
    if (how == std::string("chosen")) command.set("PROF_CUPTI", own.string());
    const BothWays both = run_both_ways(command, temp / "run");
    REQUIRE(both.with.ok());
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, Ledger(temp / "ledger", both.with.pid));
    const bool refused = both.with.out.find("cuptiSubscribe 39\n") != std::string::npos;
    CHECK(refused == (how == std::string("unknown")));
    CHECK(refused == (notes(temp).find("PROF_CUPTI=" + own.string()) != std::string::npos));
    if (!refused) check_same(both);
  }
}

// Catches Triton's libcupti taken while the program profiles itself by another one, which was there first.
TEST_CASE("a tool that was at work before CUDA keeps its CUPTI, whatever else is loaded") {
  TempDir temp;
  const auto own = temp / "backends/nvidia/lib/cupti/libcupti.so", proton = temp / "_C/libproton.so";
  std::filesystem::create_directories(own.parent_path());
  std::filesystem::create_directories(proton.parent_path());
  std::filesystem::copy_file(fakes_dir() / "13/libcupti.so.13", own);
  std::filesystem::copy_file(victim_path("gpu_c10.so"), proton);
  const BothWays both =
      run_both_ways(tool("process", "first", 13, temp).set("TOOL_LOADS", proton.string()), temp / "run");
  check_same(both);
  REQUIRE(both.with.ok());
  CHECK(both.with.out.find("failures 0\n") != std::string::npos);
  check_gpu_truth(Report::of(temp / "run"), Ledger(temp / "ledger", both.with.pid));
}

// Catches the driver's fault that JAX's command buffers run into: the program dies.
TEST_CASE("JAX's devices are recorded where that is asked for alone, and the report says why") {
  for (const bool asked : {false, true}) {
    INFO("asked " << asked);
    TempDir temp;
    const auto plugin = temp / "xla_cuda_plugin.so";
    std::filesystem::copy_file(victim_path("gpu_c10.so"), plugin);  // any library: it is known by its name
    Command command = tool("process", "later", 13, temp).set("TOOL_LOADS", plugin.string());
    if (asked) command.set("PROF_CUDA", "on");
    const BothWays both = run_both_ways(command, temp / "run");
    check_same(both);
    REQUIRE(both.with.ok());
    CHECK(Report::of(temp / "run").section("kernels").is_null() != asked);
    CHECK((summary(temp).find("--cuda on") == std::string::npos) == asked);
  }
}

// Catches a profiler that keeps CUPTI from a tool whose records come to a subscriber of its own.
// Catches records that are lost without the tool being told, since we were.
TEST_CASE("a tool is told of the records that CUPTI lost") {
  TempDir temp;
  const BothWays both = run_both_ways(tool("process", "first", 12, temp).set("FAKE_CUPTI_DROP", "10"), temp / "run");
  REQUIRE(both.with.ok());
  CHECK(both.with.fact("kernels") + both.with.fact("copies") == 180);
  CHECK(both.with.fact("dropped") == 20);
  CHECK(both.alone.fact("dropped") == 20);
}

// Be it that CUPTI must be ended for that, or must not be.
TEST_CASE("a tool with a subscriber of its own gets its records, and the report says that it has CUPTI") {
  for (const char* ends : {"0", "1"}) {
    for (const char* when : {"first", "later"}) {
      INFO(when << ", FAKE_CUPTI_SCOPE_ENDS=" << ends);
      TempDir temp;
      const BothWays both =
          run_both_ways(tool("subscriber", when, 133, temp).set("FAKE_CUPTI_SCOPE_ENDS", ends), temp / "run");
      check_same(both);
      REQUIRE(both.with.ok());
      CHECK(both.with.out.find("failures 0\n") != std::string::npos);
      CHECK(both.with.out.find("kernels 100\n") != std::string::npos);
      const Report report = Report::of(temp / "run");
      check_gpu_truth(report, Ledger(temp / "ledger", both.with.pid), false);
      const std::string text = summary(temp);
      INFO(text);
      CHECK(text.find("subscriber") != std::string::npos);
      // What came before it is there.
      if (std::string(when) == "later") CHECK(reported_kernels(report, "outside_40us").count == 50);
    }
  }
}

TEST_CASE("where another tool owns CUPTI by its injection, it is left alone") {
  TempDir temp;
  std::ofstream(temp / "tool.so") << "not for this driver";
  check_survives(work("streams", 40, temp).set("CUDA_INJECTION64_PATH", (temp / "tool.so").string()), temp / "run");
  const Report report = Report::of(temp / "run");
  check_gpu_truth(report, Ledger(temp / "ledger"), false);
  CHECK(report.section("kernels").is_null());
  CHECK(summary(temp).find("CUDA_INJECTION64_PATH") != std::string::npos);
}

// Catches a child in a container that inherits the path of a tool, or of another libprof.so, which it does not have.
TEST_CASE("an injection that names no file takes CUPTI from nobody") {
  TempDir temp;
  check_survives(work("streams", 40, temp).set("CUDA_INJECTION64_PATH", "/nonexistent/tool.so"), temp / "run");
  check_gpu_truth(Report::of(temp / "run"), Ledger(temp / "ledger"));
}
