// Settings from the environment, and the little text kit of the agent.
#include <string>

#include "agent/core/options.hpp"
#include "agent/core/text.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

struct Parsed {
  Options options;
  std::string complaint;
};
Parsed parse(std::initializer_list<const char*> entries) {
  std::vector<const char*> environment(entries);
  environment.push_back(nullptr);
  Parsed p;
  Text<600> complaint;
  read_options(environment.data(), p.options, complaint);
  p.complaint = complaint.view();
  return p;
}

}  // namespace

TEST_CASE("agent: settings are read and their limits hold") {
  CHECK(parse({"PROF_CPU=997"}).options.cpu_hz == 997);
  CHECK(parse({"PROF_CPU=997"}).options.cpu_hz_first == 997);
  CHECK(parse({}).options.cpu_hz_first > parse({}).options.cpu_hz);
  CHECK(parse({"PROF_CPU=off"}).options.cpu_hz == 0);
  CHECK(parse({"PROF_HEAP=off"}).options.heap == log::HeapMode::Off);
  const Parsed sampled = parse({"PROF_HEAP=sampled:64K"});
  CHECK(sampled.options.heap_interval == 65536);
  CHECK(sampled.options.heap_interval_first == 65536);
  const auto exact = parse({"PROF_HEAP=exact", "PROF_SEED=7"});
  CHECK(exact.complaint.empty());
  CHECK(exact.options.heap == log::HeapMode::Exact);
  CHECK(exact.options.seed == 7);
  CHECK(parse({}).options.heap_interval_first < parse({}).options.heap_interval);
  CHECK(parse({"PROF_DEPTH=1024"}).options.depth == 1024);
  CHECK_FALSE(parse({"PROF_CHILDREN=off"}).options.children);
  CHECK(parse({}).options.copies);
  CHECK_FALSE(parse({"PROF_COPIES=off"}).options.copies);
  CHECK_FALSE(parse({}).options.python_alloc);
  CHECK(parse({"PROF_PYTHON_ALLOC=1"}).options.python_alloc);
  CHECK(parse({"PROF_LOG_MAX=8M"}).options.log_max == 8 << 20);
  CHECK(parse({"PROF_CPU=997", "PROF_OUT=/x", "PATH=/bin"}).complaint.empty());
}

TEST_CASE("agent: what is recorded of operators") {
  CHECK(parse({}).options.operators);
  CHECK_FALSE(parse({}).options.operator_shapes);
  CHECK_FALSE(parse({"PROF_OPS=off"}).options.operators);
  const Options shapes = parse({"PROF_OPS=shapes"}).options;
  CHECK((shapes.operators && shapes.operator_shapes && !shapes.operator_memory));
  const Options both = parse({"PROF_OPS=memory,shapes"}).options;
  CHECK((both.operators && both.operator_shapes && both.operator_memory));
  const Options rest = parse({"PROF_OPS=stacks,flops"}).options;
  CHECK((rest.operators && rest.operator_stacks && rest.operator_flops && !rest.operator_shapes));
  for (const char* bad : {"PROF_OPS=", "PROF_OPS=stacks,", "PROF_OPS=shape", "PROF_OPS=shapes,off", "PROF_OPS=,"}) {
    const Parsed p = parse({bad});
    INFO(bad);
    CHECK(p.complaint.find("PROF_OPS") != std::string::npos);
    CHECK((p.options.operators && !p.options.operator_shapes && !p.options.operator_memory));
  }
}

TEST_CASE("agent: what a step is, and which of them have details") {
  CHECK(parse({}).options.steps);
  CHECK(parse({}).options.schedule.active == 0);
  CHECK_FALSE(parse({"PROF_STEP=off"}).options.steps);
  CHECK(parse({"PROF_STEP=auto"}).options.steps);
  CHECK(std::string(parse({"PROF_STEP=auto"}).options.step).empty());
  CHECK(std::string(parse({"PROF_STEP=nvtx:step@train"}).options.step) == "nvtx:step@train");
  CHECK(std::string(parse({"PROF_STEP=Trainer.fit_one"}).options.step) == "Trainer.fit_one");
  const Options scheduled = parse({"PROF_SCHEDULE=wait=1,warmup=1,active=3"}).options;
  CHECK((scheduled.schedule.wait == 1 && scheduled.schedule.warmup == 1 && scheduled.schedule.active == 3));
  Text<2000> described;
  describe_options(scheduled, described);
  CHECK(described.view().find("PROF_SCHEDULE=skip_first=0,wait=1,warmup=1,active=3,repeat=0") !=
        std::string_view::npos);
  Text<2000> set;
  const char* cuda[] = {"PROF_CUDA_CALLBACKS=off", "PROF_CUPTI=/opt/libcupti.so", "PROF_STOP_ON_EXIT=on",
                        "PROF_SEED=7"};
  describe_options(parse({cuda[0], cuda[1], cuda[2], cuda[3]}).options, set);
  for (const char* one : cuda) CHECK(set.view().find(one) != std::string_view::npos);
  const std::string longest = "PROF_STEP=" + std::string(255, 'x'), longer = longest + 'x';
  CHECK(parse({longest.c_str()}).complaint.empty());
  for (const char* bad : {"PROF_STEP=", "PROF_STEP=nvtx:", longer.c_str(), "PROF_SCHEDULE=wait=1", "PROF_SCHEDULE="}) {
    const Parsed p = parse({bad});
    INFO(bad);
    CHECK(p.complaint.find(std::string(bad).substr(0, std::string(bad).find('='))) != std::string::npos);
    CHECK((p.options.steps && p.options.step[0] == '\0' && p.options.schedule.active == 0));
  }
}

TEST_CASE("agent: the log states settings as they can be given, and all of them have room") {
  const std::string path(1023, 'p'), patterns(511, 'w'), name(255, 's');
  const std::vector<std::string> given = {"PROF_CPU=off",
                                          "PROF_TICKS=perf",
                                          "PROF_HEAP=sampled:1048576",
                                          "PROF_DEPTH=1000",
                                          "PROF_CHILDREN=off",
                                          "PROF_CMDLINE=off",
                                          "PROF_LOG_MAX=1073741824",
                                          "PROF_UNWINDER=libunwind",
                                          "PROF_PYTHON=lines:" + patterns,
                                          "PROF_PYTHON_ALLOC=on",
                                          "PROF_COPIES=off",
                                          "PROF_WAIT=off",
                                          "PROF_OSRT_THRESHOLD=1000000000",
                                          "PROF_WATCH=" + patterns,
                                          "PROF_CUDA=host",
                                          "PROF_CUDA_GRAPH=node",
                                          "PROF_CUDA_CALLBACKS=off",
                                          "PROF_CUPTI=" + path,
                                          "PROF_RANGES=off",
                                          "PROF_OPS=shapes,memory,flops,stacks",
                                          "PROF_TRACE=536870912",
                                          "PROF_STEP=" + name,
                                          "PROF_SCHEDULE=skip_first=1,wait=2,warmup=3,active=4,repeat=5",
                                          "PROF_CAPTURE_RANGE=nvtx:" + name.substr(5),
                                          "PROF_DELAY=100000000.125",
                                          "PROF_DURATION=0.500",
                                          "PROF_STOP_ON_EXIT=on",
                                          "PROF_SEED=999999999999"};
  std::vector<const char*> environment;
  std::string expected;
  for (const std::string& one : given) {
    environment.push_back(one.c_str());
    expected += (expected.empty() ? "" : "\n") + one;
  }
  environment.push_back(nullptr);
  Options options;
  Text<200> complaint;
  read_options(environment.data(), options, complaint);
  CHECK(complaint.view().empty());
  Text<kOptionsRoom> text;
  describe_options(options, text);
  CHECK_FALSE(text.cut());
  CHECK(text.view() == expected);
}

TEST_CASE("agent: the log states few of the settings that nobody gave") {
  Text<kOptionsRoom> text;
  describe_options(Options{}, text);
  CHECK(text.view() ==
        "PROF_CPU=100\nPROF_TICKS=auto\nPROF_HEAP=sampled:524288\nPROF_DEPTH=128\nPROF_CHILDREN=on\nPROF_CMDLINE=on\n"
        "PROF_LOG_MAX=67108864\nPROF_UNWINDER=own\nPROF_PYTHON=frames\nPROF_PYTHON_ALLOC=off\nPROF_COPIES=on\n"
        "PROF_WAIT=on\nPROF_CUDA=on\nPROF_OPS=on");
}

TEST_CASE("agent: what is unknown or malformed is named and ignored") {
  for (const char* bad : {"PROF_CPU=0", "PROF_CPU=10001", "PROF_CPU=", "PROF_CPU=99999999999999999999", "PROF_HEAP=all",
                          "PROF_HEAP=sampled:", "PROF_HEAP=sampled:0", "PROF_HEAP=sampled:2G", "PROF_DEPTH=7",
                          "PROF_DEPTH=12x", "PROF_CHILDREN=maybe", "PROF_LOG_MAX=1025M", "PROF_TICKS=fast"}) {
    const Parsed p = parse({bad});
    INFO(bad);
    CHECK(p.complaint.find(std::string(bad).substr(0, std::string(bad).find('='))) != std::string::npos);
    CHECK(p.options.cpu_hz == 100);
    CHECK(p.options.depth == 128);
    CHECK(p.options.heap == log::HeapMode::Sampled);
  }
  CHECK(parse({"PROF_HEEP=off"}).complaint == "unknown option PROF_HEEP ignored");
  CHECK(parse({"PROF_A=1", "PROF_B=2"}).complaint == "unknown option PROF_A ignored; unknown option PROF_B ignored");
}

TEST_CASE("agent: text is built within its room and always ends") {
  Text<8> small;
  small << "abc" << std::uint64_t{12345};
  CHECK(small.view() == "abc1234");
  CHECK(small.cut());
  Text<64> numbers;
  numbers << std::uint64_t{0} << ' ' << ~std::uint64_t{0} << ' ';
  numbers.hex(0xbeef, 8) << ' ';
  numbers.decimal(7, 3);
  CHECK(numbers.view() == "0 18446744073709551615 0000beef 007");
  CHECK(first("abc", 9) == "abc");
  CHECK(from("abc", 9).empty());
  CHECK(from("abc", 1) == "bc");
}

TEST_CASE("agent: the window's times are seconds with decimals") {
  CHECK(parse({"PROF_DELAY=2"}).options.delay_ms == 2000);
  CHECK(parse({"PROF_DELAY=0.5"}).options.delay_ms == 500);
  CHECK(parse({"PROF_DURATION=12.25"}).options.duration_ms == 12250);
  CHECK(parse({"PROF_DURATION=1.007"}).options.duration_ms == 1007);
  for (const char* bad : {"PROF_DELAY=", "PROF_DELAY=.5", "PROF_DELAY=1.", "PROF_DELAY=-1", "PROF_DELAY=1s",
                          "PROF_DELAY=1.0005", "PROF_DELAY=1.5.5", "PROF_DELAY=1000000000"}) {
    const Parsed p = parse({bad});
    CHECK(p.options.delay_ms == 0);
    CHECK_FALSE(p.complaint.empty());
  }
}

TEST_CASE("agent: what opens the window is named in full") {
  CHECK(std::string(parse({"PROF_CAPTURE_RANGE=cudaProfilerApi"}).options.capture_range) == "cudaProfilerApi");
  CHECK(std::string(parse({"PROF_CAPTURE_RANGE=nvtx:step@train"}).options.capture_range) == "nvtx:step@train");
  for (const char* bad : {"PROF_CAPTURE_RANGE=nvtx:", "PROF_CAPTURE_RANGE=nvtx", "PROF_CAPTURE_RANGE=cuda"}) {
    CHECK(parse({bad}).options.capture_range[0] == '\0');
    CHECK_FALSE(parse({bad}).complaint.empty());
  }
}

TEST_CASE("agent: a trace has room beside the log's own") {
  CHECK(parse({"PROF_TRACE=8M"}).options.log_limit() == parse({}).options.log_limit() + (8 << 20));
  CHECK(parse({"PROF_TRACE=8M", "PROF_LOG_MAX=16M"}).options.log_limit() == 16 << 20);
  CHECK(parse({"PROF_TRACE=off"}).options.trace_bytes == 0);
  CHECK_FALSE(parse({"PROF_TRACE=1K"}).complaint.empty());
}
