// Hashes for passwords, which take tens of milliseconds each on purpose, computed by the thread of an event loop.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/event_loop.hpp"
#include "report/findings/places.hpp"
#include "report/findings/processors.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/waiting/holds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace loop_hashes {
namespace {

// OpenSSL's and libxcrypt's functions; the wheels of bcrypt and argon2-cffi have no names.
bool hashes_slowly(const symbols::Function& function) {
  constexpr std::array<std::string_view, 4> kNames = {"PKCS5_PBKDF2", "EVP_PBE_scrypt", "crypt_", "argon2"};
  constexpr std::array<std::string_view, 2> kModules = {"/bcrypt/_bcrypt", "/_argon2_cffi_bindings/"};
  if (function.language != symbols::Language::Native) return false;
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view begin) { return function.name.starts_with(begin); }) ||
         std::any_of(kModules.begin(), kModules.end(),
                     [&](std::string_view part) { return function.module.find(part) != std::string::npos; });
}

// asyncio's own loop, and that of uvloop, whose callbacks run below its own code.
bool in_a_loop(const Evidence& evidence, std::uint32_t node) {
  return below(evidence.lines(), node, [](const symbols::Function& function) {
    return runs_callbacks(function) || function.module.find("/uvloop/") != std::string::npos;
  });
}

// Whether they are all computed by the task that the program gives to its loop, by the text, in one turn, after which
// nothing had come: then there may be nobody else.
bool holds_up_nobody(const Evidence& evidence, const std::vector<bool>& hashes, const std::vector<Place>& places) {
  std::set<std::string> tasks;
  std::set<std::uint32_t> lines;
  for (const std::uint32_t node : evidence.timed()) {
    if (!hashes[node]) continue;
    tasks.insert(name_of_task(evidence.lines(), node));
    lines.insert(evidence.own_location(node));
  }
  std::int64_t turns = 0, events = 0;
  for (const fold::Hold& hold : fold::holds(evidence.lines())) {
    if (!lines.contains(hold.location)) continue;
    turns = model::saturated_sum(turns, hold.turns.count);
    events = model::saturated_sum(events, hold.turns.events);
  }
  // Behind the last turn nobody waits any more.
  if (tasks.size() != 1 || tasks.begin()->empty() || turns != 1 || events > 0) return false;
  symbols::SourceFiles& files = evidence.sources();
  const Lines& text = files.file(places.front().file).lines;
  return std::any_of(text.begin(), text.end(), [&](const std::string& line) {
    return line.find("run(" + *tasks.begin() + "(") != std::string::npos ||
           line.find("run_until_complete(" + *tasks.begin() + "(") != std::string::npos;
  });
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> hashes = below_own(evidence, hashes_slowly);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return hashes[node] && in_a_loop(evidence, node); });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  if (holds_up_nobody(evidence, hashes, cpu.places)) return {};
  Finding finding;
  finding.rule = kLoopHashesRule.name;
  finding.title = "Hashes for passwords block the event loop";
  finding.seen = fmt::format("{}, in which no other task could run.", cpu_words(evidence, cpu));
  finding.advice =
      "They are slow on purpose. Compute them in a thread, without Python's lock: await asyncio.to_thread("
      "hashlib.pbkdf2_hmac, ...). Let a session or a token spare the next one.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  // Threads compute as many at a time as there are processors for; the last of them is waited for all the same.
  const Processors all = processors(evidence);
  if (all.there) {
    const double part = 1 - 1 / std::max(1.0, *all.there - all.used + 1);
    finding.saves *= part;
    finding.saves_ns = whole_number(part * real(finding.saves_ns));
    finding.error_ns = whole_number(part * real(finding.error_ns));
  }
  return {finding};
}

}  // namespace
}  // namespace loop_hashes

const Rule kLoopHashesRule{"loop-hashes", "password hashes in an event loop", no_python_frames, loop_hashes::look};

}  // namespace prof::findings
