#include "agent/life/identity.hpp"

#include <time.h>

#include <string_view>

#include "agent/core/clock.hpp"
#include "agent/core/notice.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/life/job.hpp"
#include "agent/unwind/objects.hpp"

namespace prof {
namespace {

// False where the working directory has no path (it was deleted, or lies outside the root): `to` is as relative then.
bool make_absolute(std::string_view path, char* to, std::size_t room) {
  TextBuilder text(to, room);
  while (path.starts_with("./")) path = from(path, 2);
  bool known = true;
  if (path.empty() || path[0] != '/') {
    char cwd[4096];
    const long n = raw::call(SYS_getcwd, raw::word(cwd), sizeof(cwd));
    known = n > 1 && cwd[0] == '/';
    if (known) text << std::string_view(cwd, static_cast<std::size_t>(n) - 1);
    if (known && n != 2) text << '/';
  }
  text << path;
  return known;
}

bool parse_hex(std::string_view s, std::uint64_t& value) {
  value = 0;
  for (const char c : s) {
    const int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (v < 0) return false;
    value = value << 4 | static_cast<std::uint64_t>(v);
  }
  return !s.empty();
}

// Whether `asked` (PROF_OUT) names the run directory `dir`. A relative one was meant for the directory where the run
// began, which this process may have left.
bool same_directory(std::string_view dir, std::string_view asked) {
  while (asked.starts_with("./")) asked = from(asked, 2);
  if (asked.starts_with("/")) return dir == asked;
  return dir.ends_with(asked) && dir.size() > asked.size() && dir[dir.size() - asked.size() - 1] == '/';
}

bool join_run(Process& p) {
  const std::string_view run = p.options.run;
  std::uint64_t id = 0;
  if (run.size() < 18 || run[16] != ':' || run[17] != '/' || !parse_hex(first(run, 16), id)) return false;
  const std::string_view dir = from(run, 17);
  // Another PROF_OUT than the inherited run's: the user began a run of its own inside a recorded program.
  if (p.options.out_given && !same_directory(dir, p.options.out)) return false;
  TextBuilder text(p.run_dir, sizeof(p.run_dir));
  text << dir;
  p.run_id = id;
  p.first_of_run = false;
  return true;
}

// Calendar fields of local time, without libc's time zone code, which allocates and reads files: UTC, as the name says
// nothing else. Days to date after Howard Hinnant, "chrono-compatible low-level date algorithms" (civil_from_days).
void put_date(std::uint64_t seconds, TextBuilder& text) {
  const std::int64_t z = static_cast<std::int64_t>(seconds / 86400) + 719468;
  const std::int64_t era = z / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const std::int64_t day = doy - (153 * mp + 2) / 5 + 1;
  const std::int64_t month = mp < 10 ? mp + 3 : mp - 9;
  const std::int64_t year = yoe + era * 400 + (month <= 2 ? 1 : 0);
  const std::uint64_t of_day = seconds % 86400;
  text.decimal(static_cast<std::uint64_t>(year), 4)
      .decimal(static_cast<std::uint64_t>(month), 2)
      .decimal(static_cast<std::uint64_t>(day), 2);
  text << '-';
  text.decimal(of_day / 3600, 2).decimal(of_day / 60 % 60, 2).decimal(of_day % 60, 2);
}

void begin_run(Process& p) {
  p.first_of_run = true;
  if (raw::call(SYS_getrandom, raw::word(&p.run_id), sizeof(p.run_id), 1) != sizeof(p.run_id) || p.run_id == 0) {
    p.run_id = p.start_realtime_ns * 0x9e3779b97f4a7c15ULL ^ p.pid;
  }
  if (p.options.out_given) {
    make_absolute(p.options.out, p.run_dir, sizeof(p.run_dir));
    return;
  }
  Text<64> name;
  name << "prof-";
  put_date(p.start_realtime_ns / 1'000'000'000, name);
  name << '-' << p.pid;
  if (make_absolute(name.view(), p.run_dir, sizeof(p.run_dir))) return;
  TextBuilder elsewhere(p.run_dir, sizeof(p.run_dir));
  elsewhere << "/tmp/" << name.view();
  Text<200> text;
  text << "logs go to " << elsewhere.view() << ": the working directory has no path";
  notice(text.view());
}

}  // namespace

void identify_run() {
  Process& p = process();
  Object own{};
  if (object_at(reinterpret_cast<std::uintptr_t>(&identify_run), own))
    make_absolute(own.name, p.agent_path, sizeof(p.agent_path));
  find_job();
  p.root = directory_id("/");
  if (!join_run(p)) begin_run(p);
}

}  // namespace prof
