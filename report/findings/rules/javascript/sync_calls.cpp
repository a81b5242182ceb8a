// A server of JavaScript whose one thread hashes, packs, reads files or runs programs by calls that end when all is
// done: nobody else is served meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/processors.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/javascript_place.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/waiting/holds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace sync_calls {
namespace {

struct Kind {
  std::string_view native;  // part of the name of what does it (Node 18 to 22)
  const char* what;         // "in hashing"
  const char* advice;       // the other call
  std::span<const std::string_view> names;
  bool of_programs = false;  // waits for them in a loop of its own, which ends the turn of the outer one
};

constexpr std::string_view kHashes[] = {"pbkdf2Sync(", "scryptSync(", "generateKeyPairSync(", "generatePrimeSync(",
                                        "hkdfSync("};
constexpr std::string_view kPacks[] = {"gzipSync(",           "gunzipSync(",           "deflateSync(",
                                       "inflateSync(",        "deflateRawSync(",       "inflateRawSync(",
                                       "brotliCompressSync(", "brotliDecompressSync(", "unzipSync("};
constexpr std::string_view kPrograms[] = {"execSync(", "execFileSync(", "spawnSync("};
constexpr std::string_view kFiles[] = {"readFileSync(", "writeFileSync(", "appendFileSync(", "readdirSync(",
                                       "statSync(",     "existsSync(",    "copyFileSync(",   "readSync(",
                                       "writeSync(",    "fsyncSync("};
constexpr Kind kKinds[] = {
    {"node::crypto::CryptoJob", "in cryptography",
     "util.promisify(crypto.pbkdf2) and its like (scrypt, generateKeyPair), awaited: four of Node's threads compute it "
     "(UV_THREADPOOL_SIZE for more). Let a session or a token spare the next one.",
     kHashes},
    {"CompressionStream<", "in packing and unpacking",
     "util.promisify(zlib.gzip) and its like compute in Node's threads, zlib.createGzip() part by part; keep what was "
     "packed for the next one who asks.",
     kPacks},
    {"node::SyncProcessRunner::", "in waiting for programs",
     "util.promisify(child_process.execFile), spawn() and its events let others be served while the program runs.",
     kPrograms, true},
    {"node::fs::", "in files", "await fs.promises.readFile() and its like, or read once and keep it.", kFiles},
};

struct Sum {
  std::int64_t ns = 0, cpu_ns = 0;
  TimeByPlace lines;
  std::int64_t turns = 0, events = 0;  // of the loop that were long by it, and what had come when they were over
};

// Whether a line of JavaScript that the loop called stands in such a function: on the way out from the leaf it comes
// before any JavaScript, which may have been called back by it. What modules do when they are loaded is the start,
// though the loop loads them.
bool is_called_by_script(const fold::CallTree& tree, std::uint32_t node, const Kind& kind) {
  bool at_work = false, called = false;
  for (; node != 0; node = tree.nodes()[node].parent) {
    const symbols::Function& function = tree.function(node);
    if (function.language != symbols::Language::Native) continue;
    if (function.name == "Builtins_JSEntry") {
      if (!at_work) return false;
      called = true;
    } else if (contains(function.name, "SourceTextModule::") || contains(function.name, "ModuleWrap::")) {
      return false;
    } else if (function.name == "uv_run") {
      // What waits for a program runs a loop of its own.
      if (called) return true;
    } else {
      at_work |= function.name.find(kind.native) != std::string::npos;
    }
  }
  return false;
}

// What the loop's own thread takes for it.
Sum sum_of(const Evidence& evidence, const ThreadOf& program, const Kind& kind) {
  const fold::CallTree& tree = evidence.lines();
  Sum sum{0, 0, TimeByPlace(evidence)};
  for (const LineTime& time : line_times(evidence, program)) {
    if (!is_called_by_script(tree, time.node, kind)) continue;
    const std::int64_t ns = model::saturated_sum(time.cpu_ns, time.blocked_ns);
    sum.ns = model::saturated_sum(sum.ns, ns);
    sum.cpu_ns = model::saturated_sum(sum.cpu_ns, time.cpu_ns);
    sum.lines.add(time.node, ns);
  }
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::HoldMetric& hold = tree.self().holds[node];
    // A loop that waits for a program looks as idle as one that waits for requests.
    const std::int64_t waited = kind.of_programs && evidence.idle()[node] ? tree.self().wait[node].blocked_ns() : 0;
    if ((hold.count <= 0 && waited <= 0) || !is_called_by_script(tree, node, kind)) continue;
    sum.ns = model::saturated_sum(sum.ns, waited);
    sum.lines.add(node, waited);
    sum.turns = model::saturated_sum(sum.turns, hold.count);
    sum.events = model::saturated_sum(sum.events, hold.events);
  }
  return sum;
}

// Other threads do it as well as they can: all of it beside what the loop's thread does else, as far as there are
// processors, if enough is asked for at once; else one after the other, each as long as before.
void could_be_saved(Finding& finding, const Evidence& evidence, const ThreadOf& program, const Sum& sum) {
  const Processors all = processors(evidence);
  const double life = real(model::to_signed(evidence.run().processes[program.process].wall_ns()));
  const double part = all.there ? 1 - 1 / std::max(1.0, *all.there - all.used + 1) : 1;
  double most = real(sum.ns);
  if (all.there && sum.cpu_ns > sum.ns / 2)
    most = std::max(0.0, life - std::max(life - real(sum.ns), real(all.cpu_ns) / std::max(1.0, *all.there)));
  const double least = std::min(most, sum.cpu_ns > sum.ns / 2 ? part * real(sum.ns) : most);
  could_save_of_run(finding, evidence, share_of_life(evidence, program, whole_number((most + least) / 2)));
  finding.error_ns = whole_number((most - least) / 2);
}

const char* cannot(const Evidence& evidence) { return any_javascript(evidence) ? nullptr : "no JavaScript was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !runs_javascript(evidence.run().processes[program->process]) ||
      !accepts_connections(evidence, program->process))
    return out;
  for (const Kind& kind : kKinds) {
    const Sum sum = sum_of(evidence, *program, kind);
    const double share = share_of_life(evidence, *program, sum.ns);
    if (share < kActivity || sum.ns < kLeastActivityNs) continue;
    // Of those who ask one after the other nobody waits for another's answer; nor for long, where no turn was long.
    if (!kind.of_programs && fold::turns_known(evidence.run()) &&
        real(sum.events) < kOthersInTurn * std::max(1.0, real(sum.turns)))
      continue;
    Finding finding;
    finding.rule = kSyncCallsRule.name;
    finding.title = "Synchronous calls block the event loop";
    finding.seen =
        fmt::format("{}, {} % of the run's time, went by {} in the loop's own thread: nothing else was done.",
                    show::duration(real(sum.ns)), show::percent(share, 1), kind.what);
    finding.advice = kind.advice;
    finding.places = sum.lines.top();
    const auto calls = [&kind](std::string_view code) { return contains_any(code, kind.names); };
    if (!name_calls(finding, evidence, program->process, calls)) continue;
    // Whether anybody else waited for the end of a program is not seen.
    if (!kind.of_programs) could_be_saved(finding, evidence, *program, sum);
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace
}  // namespace sync_calls

const Rule kSyncCallsRule{"sync-calls", "calls of JavaScript that block the event loop", sync_calls::cannot,
                          sync_calls::look};

}  // namespace prof::findings
