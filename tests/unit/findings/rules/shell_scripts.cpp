// The rules about scripts of a shell that says which line it is at.
#include <sys/stat.h>

#include <fstream>

#include "tests/unit/support/processes_run.hpp"

using namespace prof;
using test::has;
using test::kMs;

namespace {

// bash with a script of a few lines, for two seconds.
class ScriptRun : public test::ProcessesRun {
 public:
  ScriptRun() {
    script_ = directory() / "pull.sh";
    std::ofstream(script_) << "for tile in $tiles; do\n  fetch $tile &\n  sort $tile\n  wait -n\n  wait  # for "
                              "all\ndone\nwait\nsort all\n";
    shell_ = &process(test::kFirst, 1, "/bin/bash pull.sh", 0, 2'000, 10);
    shell_->info(log::InfoKey::Cpus, "allowed=4");
  }
  void job(std::uint64_t at, std::uint64_t life_ms, std::uint64_t cpu_ms = 1) {
    child("/bin/bash pull.sh", at, life_ms, cpu_ms);
  }
  void waits_at(std::uint32_t line, std::uint64_t calls, std::uint64_t ms) {
    const auto at = shell_->node(0, shell_->named(log::NameKind::Script, "", script_, line));
    const auto node = shell_->node(at, shell_->named(log::NameKind::Wait, "waitpid", "child"));
    shell_->record(log::RecordClass::Wait, node,
                   log::WaitWords{calls * log::kCountUnit, ms * kMs, static_cast<std::uint32_t>(calls)});
  }
  void computes_at(std::uint32_t line, std::uint64_t ms) {
    shell_->cpu(shell_->node(0, shell_->named(log::NameKind::Script, "", script_, line)), ms / 10, ms * kMs);
    shell_->header.cpu_ns += ms * kMs;
  }
  // The shell had so much in memory, of which that line had allocated some.
  void holds(std::uint64_t resident, std::uint32_t line, std::uint64_t bytes) {
    shell_->header.peak_rss_bytes = resident;
    shell_->memory(log::RecordClass::Heap, shell_->node(0, shell_->named(log::NameKind::Script, "", script_, line)),
                   test::memory_words(log::kCountUnit, bytes, 0, 0, bytes, 1, 1));
  }
  const std::string& script() const { return script_; }

 private:
  std::string script_;
  test::LogBuilder* shell_ = nullptr;
};

// Four lots of three jobs each, one of which takes long.
void lots(ScriptRun& run, std::uint64_t long_ms, std::uint64_t cpu_ms = 1) {
  for (std::uint64_t lot = 0; lot < 4; ++lot) {
    for (std::uint64_t job = 0; job < 3; ++job) run.job(lot * 450, job == 0 ? long_ms : 60, cpu_ms);
  }
}

}  // namespace

// Catches lots whose jobs take as long as each other, and processors that are busy anyway.
TEST_CASE("findings: jobs of a script that wait for the slowest of their lot", "[findings]") {
  ScriptRun run;
  lots(run, 400);
  run.waits_at(5, 12, 1'600);
  const auto found = run.look("batch-waits");
  REQUIRE(found.size() == 1);
  // 1,600 ms as they are; 800 and 60 ms where each begins when a place is free.
  CHECK(found.front().saves == Approx(0.5 * (1'600 - 860) / 1'000.0).margin(0.06));
  CHECK(found.front().places.front().line == 5);
  CHECK(found.front().places.front().file == run.script());
  CHECK(has(found.front().seen, "12 jobs were started, up to 3 at once"));
  ScriptRun even;
  lots(even, 70);
  even.waits_at(5, 12, 280);
  CHECK(even.look("batch-waits").empty());
  ScriptRun busy;
  lots(busy, 400, 500);
  busy.waits_at(5, 12, 1'600);
  CHECK(busy.look("batch-waits").empty());
  ScriptRun next;
  lots(next, 400);
  next.waits_at(4, 12, 1'600);
  CHECK(next.look("batch-waits").empty());
}

// Catches steps of a script, each of which needs the one before, told as jobs that could run at once.
TEST_CASE("findings: commands of one line of a script run one after the other, those of several are steps",
          "[findings]") {
  const bool of_one_line = GENERATE(true, false);
  ScriptRun run;
  for (std::uint64_t job = 0; job < 6; ++job) {
    run.job(job * 310, 300, 290);
    if (!of_one_line) run.waits_at(static_cast<std::uint32_t>(job + 1), 2, 300);
  }
  if (of_one_line) run.waits_at(4, 12, 1'800);
  const auto found = run.look("jobs-one-by-one");
  REQUIRE(found.size() == (of_one_line ? 1 : 0));
  if (of_one_line) CHECK(found.front().places.front().line == 4);
}

TEST_CASE("findings: a line of a script that starts many processes", "[findings]") {
  ScriptRun run;
  for (std::uint64_t job = 0; job < 100; ++job) run.job(job * 19, 15);
  run.waits_at(4, 200, 1'500);
  run.waits_at(6, 2, 100);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  REQUIRE(found.front().places.size() == 1);
  CHECK(found.front().places.front().line == 4);
}

// Catches lots that begin behind the wait for those before them.
TEST_CASE("findings: jobs that wait for the slowest of their lot before the next one begins", "[findings]") {
  const std::string next = GENERATE("fetch $tile &", "fetch $tile && check $tile", "check $tiles");
  ScriptRun run;
  std::ofstream(run.script())
      << "for tile in $tiles; do\n  if ((running == 3)); then\n    wait\n    running=0\n  fi\n  " << next
      << "\n  running=$((running + 1))\ndone\nwait\n";
  lots(run, 400);
  run.waits_at(3, 12, 1'600);
  CHECK(run.look("batch-waits").size() == (next.ends_with(" &") ? 1 : 0));
}

// Catches lots that need what those before them have made told as such that need not wait.
TEST_CASE("findings: jobs of a script that wait for what the others of their lot have made", "[findings]") {
  const auto [start, after, found] = GENERATE(table<std::string, std::string, std::size_t>({
      {"for p in 0 1 2; do part $p $round & done", "round=$((round + 1))", 0},
      {"for p in 0 1 2; do part $p & done", "round=$((round + 1))", 1},
      {"work $k &", "send $k &", 0},
      {"work $k &", "k=$((k + 2))", 0},
      {"work $tile &", "k=$((k + 2))", 1},
  }));
  INFO(start << after);
  ScriptRun run;
  std::ofstream(run.script()) << "while [ $round -lt 12 ]; do\n  " << start << "\n  wait\n  " << after << "\ndone\n";
  lots(run, 400);
  run.waits_at(3, 12, 1'600);
  CHECK(run.look("batch-waits").size() == found);
}

// Catches a pipeline of many commands that runs once beside a line that runs again and again.
TEST_CASE("findings: a line of a script that starts many processes, beside a long pipeline", "[findings]") {
  ScriptRun run;
  for (std::uint64_t job = 0; job < 100; ++job) run.job(job * 19, 15);
  run.waits_at(4, 200, 900);
  run.waits_at(6, 9, 800);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  REQUIRE(found.front().places.size() == 1);
  CHECK(found.front().places.front().line == 4);
}

// Catches a shell that is slow to copy told as one that only starts too much.
TEST_CASE("findings: a large shell that starts many processes", "[findings]") {
  const auto [resident, copies, held, told] = GENERATE(table<std::uint64_t, std::uint64_t, std::uint64_t, bool>(
      {{48, 48, 30, true}, {16, 16, 12, false}, {48, 48, 2, false}, {48, 6, 30, false}}));
  ScriptRun run;
  for (std::uint64_t job = 0; job < 100; ++job)
    run.child("/bin/bash pull.sh", job * 19, job < 20 ? 4 : 15, 1).header.peak_rss_bytes = copies << 20;
  run.waits_at(4, 200, 1'500);
  run.holds(resident << 20, 2, held << 20);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  REQUIRE(found.front().places.size() == (told ? 2 : 1));
  CHECK(found.front().places.front().line == 4);
  CHECK(has(found.front().seen, "The shell itself had 48.0 MiB in memory, 30.0 MiB of that by pull.sh:2") == told);
  if (told) CHECK(found.front().places.back().line == 2);
  // While it was small each of them took 4 ms, which they would take in any case.
  CHECK(found.front().saves_ns == (told ? 1'100 : 1'500) * static_cast<std::int64_t>(kMs));
}

// Catches the line that reads its data from a pipe, byte by byte, taken for the one that runs commands most often.
TEST_CASE("findings: a line of a script that starts many processes, below one that reads a pipe", "[findings]") {
  ScriptRun run;
  for (std::uint64_t job = 0; job < 100; ++job) run.job(job * 19, 15);
  run.waits_at(3, 9'000, 20);
  run.waits_at(4, 200, 1'500);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  REQUIRE(found.front().places.size() == 1);
  CHECK(found.front().places.front().line == 4);
}

// Catches a command that starts processes itself told without the line that ran it.
TEST_CASE("findings: a command of a script that starts many processes", "[findings]") {
  ScriptRun run;
  std::ofstream(run.script()) << "#!/bin/bash\nfind include -name '*.h' -exec md5sum {} ;\n";
  test::LogBuilder& find = run.child("/usr/bin/find include -name *.h -exec md5sum {} ;", 0, 1'990, 20);
  for (std::uint64_t i = 0; i < 100; ++i) run.child("/usr/bin/md5sum a.h", i * 19, 15, 1, find.header.pid);
  test::ProcessesRun::wait(find, "waitpid", "child", 1'500);
  run.waits_at(2, 2, 1'900);
  const auto found = run.look("many-processes");
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.front().line == 2);
  CHECK(found.front().places.front().file == run.script());
}

TEST_CASE("findings: a script that sorts all lines to have one of them", "[findings]") {
  const auto [line, found] = GENERATE(table<std::string, std::size_t>({
      {"sort -k4gr log | head -1", 1},
      {"worst=$(LC_ALL=C sort -k4gr log | head -n 3)", 1},
      {"sort -k4gr log | tail -n1", 1},
      {"sort -k4gr log | uniq -c | sort -rn | head -3", 0},  // all of its lines are wanted
      {"sort -u -o log log; sort -k4gr log | head -2", 1},
      {"sort -k4gr \"$log\" | head -1", 1},
      {"sort -k4gr log | sed -n 1p", 1},
      {"sort -k4gr log | sed 5q", 1},
      {"sort -k4gr log | uniq -c", 0},
      {"sort -k4gr log | head -1000", 0},
      {"sort -k4gr log > sorted", 0},
  }));
  INFO(line);
  ScriptRun run;
  std::ofstream(run.script()) << "#!/bin/bash\n" << line << "\n";
  run.child("/usr/bin/sort -k4gr log", 100, 1'000, 900);
  run.waits_at(2, 2, 1'000);
  const auto told = run.look("whole-sorts");
  REQUIRE(told.size() == found);
  if (found == 0) return;
  CHECK(told.front().places.front().line == 2);
  CHECK(told.front().saves == Approx(0.9 * 0.9 / 2));
}

TEST_CASE("findings: a script whose command copies byte by byte", "[findings]") {
  const auto [bytes, calls, found] =
      GENERATE(table<std::uint64_t, std::uint64_t, std::size_t>({{1, 500'000, 1}, {4'096, 500'000, 0}, {1, 9'000, 0}}));
  ScriptRun run;
  std::ofstream(run.script()) << "#!/bin/bash\ndd if=image of=part bs=1 skip=7\n";
  test::LogBuilder& log = run.child("/usr/bin/dd if=image of=part bs=1 skip=7", 100, 1'000, 900);
  log::FileWords words{};
  words.reads = words.writes = calls;
  words.read_bytes = words.write_bytes = calls * bytes;
  const auto files = log.node(0, log.special(log::SpecialFrame::Files));
  log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, "/data/image", "file")), words);
  run.waits_at(2, 2, 1'000);
  const auto told = run.look("tiny-blocks");
  REQUIRE(told.size() == found);
  if (found == 0) return;
  CHECK(told.front().places.front().line == 2);
  CHECK(told.front().saves == Approx((1.0 - 0.029) / 2));
  CHECK(has(told.front().seen, "1,000,000 calls read and wrote 1 B on average"));
}

TEST_CASE("findings: a script whose grep takes a list of texts for patterns", "[findings]") {
  const auto [command, listed, found] = GENERATE(table<std::string, std::string, std::size_t>({
      {"grep -f list log", "10.0.0.7\n", 1},
      {"grep -vf list log", "10.0.0.7\n", 1},
      {"grep --file=list log", "10.0.0.7\n", 1},
      {"grep -E -f list log", "10.0.0.7\n", 1},
      {"grep -F -f list log", "10.0.0.7\n", 0},
      {"grep -wFf list log", "10.0.0.7\n", 0},
      {"grep --fixed-strings -f list log", "10.0.0.7\n", 0},
      {"grep -e -f log", "10.0.0.7\n", 0},  // looks for "-f"
      {"grep -f list log", "^10[.]0\n", 0},
      {"grep -E -f list log", "user=.(a|b)\n", 0},
      {"grep -f list log", "plain\nwords\n", 0},  // which it takes for texts by itself
      {"grep -n late log", "10.0.0.7\n", 0},
      {"grep -f list log", "", 1},  // gone
      {"grep -E -f list log", "", 0},
      {"grep -f /dev/stdin log", "", 0},
  }));
  const std::uint64_t megabytes = GENERATE(0, 88, 220);
  INFO(command << ' ' << listed << ' ' << megabytes);
  ScriptRun run;
  std::ofstream(run.script()) << "#!/bin/bash\n" << command << " > hits\n";
  const std::string list = run.directory() / "list";
  if (!listed.empty()) std::ofstream(list) << listed;
  std::string ran = "/usr/bin/" + command;
  if (const std::size_t at = ran.find("list"); at != std::string::npos) ran.replace(at, 4, list);
  test::LogBuilder& log = run.child(ran, 100, 1'000, 900);
  log::FileWords words{};
  words.reads = megabytes;
  words.read_bytes = megabytes * 1'000'000;
  const auto files = log.node(0, log.special(log::SpecialFrame::Files));
  log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, "/data/log", "file")), words);
  run.waits_at(2, 2, 1'000);
  const auto told = run.look("text-patterns");
  REQUIRE(told.size() == (megabytes == 220 ? 0 : found));
  if (told.empty()) return;
  CHECK(told.front().places.front().line == 2);
  CHECK(told.front().saves == Approx((0.9 - static_cast<double>(megabytes) / 220) / 2).margin(0.001));
}

// Catches a report that waits for somebody to write into what grep read its list from.
TEST_CASE("findings: a list of grep's that is no file", "[findings]") {
  ScriptRun run;
  std::ofstream(run.script()) << "#!/bin/bash\ngrep -f list log > hits\n";
  const std::string list = run.directory() / "list";
  REQUIRE(mkfifo(list.c_str(), 0600) == 0);
  run.child("/usr/bin/grep -f " + list + " log", 100, 1'000, 900);
  run.waits_at(2, 2, 1'000);
  CHECK(run.look("text-patterns").size() == 1);  // nobody knows what it had
}

TEST_CASE("findings: a script that makes its array anew for each element", "[findings]") {
  const auto [line, found] = GENERATE(table<std::string, std::size_t>({
      {"  all=(\"${all[@]}\" \"$one\")", 1},
      {"  all=( ${all[*]} $one )", 1},
      {"  queue=(\"${queue[@]:1}\")", 1},
      {"  all+=(\"$one\")", 0},
      {"  all=(\"${others[@]}\" \"$one\")", 0},
      {"  all=($(sort <<< \"${all[*]}\"))", 0},
      {"  # all=(\"${all[@]}\" \"$one\")", 0},
      {"  all=(\"${all[@]}\")", 1},
      {"  set -- \"$@\" \"$one\"", 1},
      {"  set -- \"$@\"", 0},
      {"  all=(\"${all[@]/file/f}\")", 0},  // one pass
      {"  all=(\"${all[@]%.gz}\")", 0},
      {"  for i in 1 2; do all=(\"${all[@]}\" \"$i\"); done", 0},  // what else takes its time is not known
  }));
  INFO(line);
  for (const std::uint64_t half : {1, 2}) {
    ScriptRun run;
    std::ofstream(run.script()) << "while read -r one; do\n" << line << "\ndone\n";
    run.computes_at(2, 800 / half);
    run.computes_at(40, 1'600 - 800 / half);
    const auto told = run.look("shell-arrays");
    REQUIRE(told.size() == found);
    if (found == 0) continue;
    CHECK(told.front().places.front().line == 2);
    CHECK(told.front().saves == Approx(0.4 / static_cast<double>(half)).margin(0.01));
  }
}

// Catches an array of a few elements, which takes as long as any other command.
TEST_CASE("findings: a script that makes a short array anew, beside other commands", "[findings]") {
  ScriptRun run;
  std::ofstream(run.script()) << "while read -r one; do\n  ring=(\"${ring[@]:1}\" \"$one\")\n  ((n++))\ndone\n";
  run.computes_at(2, 800);
  run.computes_at(3, 600);
  CHECK(run.look("shell-arrays").empty());
}
