// A file is read record by record with a seek before each, which throws away what the buffer holds: a whole buffer is
// read for each record.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/file_use.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace lost_buffers {
namespace {

// Of stdio, the C++ library and Python: reads of nearly that size fill one.
bool fills_buffers(std::int64_t bytes) {
  constexpr std::int64_t kBuffers[] = {4096, 8192, 16384, 32768, 65536, 131072};
  return std::any_of(std::begin(kBuffers), std::end(kBuffers),
                     [&](std::int64_t size) { return bytes <= size && real(bytes) >= kOfABuffer * real(size); });
}

bool seeks_before_each(const model::FileMetric& use, bool told_alone) {
  return told_alone && use.reads >= kManyReads && real(use.seeks) >= kNearlyAll * real(use.reads) &&
         fills_buffers(use.read_bytes / use.reads);
}

// Whether the reading line asks for less than a buffer holds: by the numbers that it gives, or by reads of one byte
// less than a power of two, as the C++ library fills its buffers.
bool asks_for_less(const std::string& line, std::int64_t bytes) {
  for (const std::int64_t size : {bytes + 1, bytes + 2}) {  // the last of a file is shorter
    if ((size & (size - 1)) == 0) return true;
  }
  for (const std::string_view call : {".read(", "fread("}) {
    std::size_t at = line.find(call);
    if (at == std::string::npos) continue;
    std::int64_t asked = 0;
    for (at += call.size(); at < line.size() && line[at] != ')'; ++at) {
      if (std::isdigit(static_cast<unsigned char>(line[at])) == 0 || is_name(line[at - 1])) continue;
      asked = std::max<std::int64_t>(1, asked) * std::strtoll(line.c_str() + at, nullptr, 10);
    }
    return asked > 0 && asked * 4 <= bytes;
  }
  return false;
}

// The line that seeks, in front of that one, by the source; 0: none does.
std::int64_t seeking_line(const std::vector<std::string>& lines, std::int64_t number) {
  constexpr std::int64_t kLinesBack = 6;
  constexpr std::string_view kSeeks[] = {"seekg(", ".seek(", "fseek(", "fseeko("};
  for (std::int64_t at = number; at > 0 && number - at <= kLinesBack; --at) {
    if (static_cast<std::size_t>(at) > lines.size()) continue;
    const std::string& line = lines[static_cast<std::size_t>(at - 1)];
    if (std::any_of(std::begin(kSeeks), std::end(kSeeks),
                    [&](std::string_view call) { return line.find(call) != std::string::npos; }))
      return at;
  }
  return 0;
}

// What the thread of the program takes at these lines.
std::int64_t taken_at(const Evidence& evidence, const ThreadOf& program, const std::vector<Place>& places) {
  TimeByPlace sums(evidence);
  const double queue = queue_factor(evidence, program);
  for (const LineTime& time : line_times(evidence, program))
    sums.add(time.node, model::saturated_sum(whole_number(queue * real(time.cpu_ns)), time.blocked_ns));
  std::int64_t ns = 0;
  for (const Place& place : places) ns = model::saturated_sum(ns, sums.at(place));
  return ns;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  const std::optional<WorstUse> worst =
      worst_use(evidence, seeks_before_each, [](const model::FileMetric& use) { return use.read_ns; });
  if (!program || !worst || program->process != worst->files.process) return {};
  std::vector<Place> places =
      lines_calling(evidence, worst->files.process, {"read", "readv", "fread", "fread_unlocked"}, Weight::Calls);
  if (places.empty()) return {};
  symbols::SourceFiles& files = evidence.sources();
  const std::int64_t line = seeking_line(files.file(places.front().file).lines, places.front().line);
  if (line == 0) return {};
  const model::FileMetric& read = worst->files.use;
  if (!asks_for_less(files.line(places.front().file, static_cast<std::uint32_t>(places.front().line)),
                     read.read_bytes / read.reads))
    return {};
  places.resize(1);
  if (line != places.front().line) places.push_back({places.front().file, line, places.front().function});
  const model::FileMetric& use = worst->files.use;
  Finding finding;
  finding.rule = kLostBuffersRule.name;
  finding.title = "A seek before each read throws away what was read ahead";
  finding.seen = fmt::format("{} reads after {} seeks read {} of {}, {} for each record.", show::grouped(use.reads),
                             show::grouped(use.seeks), show::bytes(real(use.read_bytes)), worst->files.worst,
                             show::bytes(real(use.read_bytes) / real(use.reads)));
  finding.advice =
      "Seek only where the next record is another one than what follows; read many records at once; or take single "
      "ones by pread() or mmap, or with a buffer of their size (pubsetbuf(), setvbuf(), buffering=).";
  finding.places = std::move(places);
  could_save_time(finding, evidence, taken_at(evidence, *program, finding.places));
  return {finding};
}

}  // namespace
}  // namespace lost_buffers

const Rule kLostBuffersRule{"lost-buffers", "reads ahead that seeks throw away", no_files, lost_buffers::look};

}  // namespace prof::findings
