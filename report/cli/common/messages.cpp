#include "report/cli/common/messages.hpp"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <memory>

#include "report/show/numbers.hpp"
#include "report/show/terminal.hpp"
#include "report/show/text.hpp"

namespace prof::cli {
namespace {

// Lines of a text that has several stay lines; all else that could move a cursor is escaped.
std::string printable_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out += show::printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

void log(spdlog::level::level_enum level, std::string_view lead, std::string_view text) {
  spdlog::log(level, "{}{}", lead, printable_lines(text));
}

}  // namespace

void start_messages(bool verbose) {
  const bool colour = show::terminal_of(2, show::ColourChoice::Auto).colour;
  const auto mode = colour ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto logger = std::make_shared<spdlog::logger>("prof", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode));
  logger->set_pattern("%^prof:%$ %v");
  logger->set_level(verbose ? spdlog::level::debug : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void say(std::string_view text) { log(spdlog::level::info, "", text); }
void say_warning(std::string_view text) { log(spdlog::level::warn, "warning: ", text); }
void say_error(std::string_view text) { log(spdlog::level::err, "error: ", text); }
void say_detail(std::string_view text) { log(spdlog::level::debug, "", text); }

void say_cost_so_far(std::string_view what) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ns = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
  };
  say_detail(fmt::format("{}: {} of CPU time so far, at most {} of memory", what,
                         show::duration(ns(used.ru_utime) + ns(used.ru_stime)),
                         show::bytes(static_cast<double>(used.ru_maxrss) * 1024)));
}

}  // namespace prof::cli
