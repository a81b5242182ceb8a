#include "report/cli/help.hpp"

#include <fmt/format.h>

#include "report/cli/export/export.hpp"
#include "report/show/text.hpp"

namespace prof::cli {
namespace {

constexpr std::size_t kOptionColumns = 26;
constexpr std::size_t kPageColumns = 80;

constexpr const char* kAbout =
    "prof - where the time and the memory of a program went\n\n"
    "Examples:\n"
    "  prof run -- python3 train.py      run a program under libprof.so\n"
    "  prof report                       summary of the newest run in this directory\n"
    "  prof report --view functions      its functions by time\n"
    "  prof report --view lines          its Python lines by time\n"
    "  prof view                         all of it in a browser\n"
    "  prof export -f speedscope -o run.speedscope.json\n";

constexpr const char* kRunAbout =
    "Runs a program, unchanged, and its child processes under libprof.so.\n\n"
    "Examples:\n"
    "  prof run -- python3 train.py --epochs 3\n"
    "  prof run --out before --cpu 1000 -- ./simulate\n"
    "  prof run --python calls -- python3 train.py       every Python call, exactly\n"
    "  PROF_CPU=1000 prof run -- make -j8\n\n"
    "The variable in an option's brackets does the same, with and without\n"
    "`prof run`. Ends with the status of the program, or by the signal that ended it;\n"
    "127 or 126 as a shell does when it cannot be started; 2 for wrong usage.\n";

constexpr const char* kReportAbout =
    "Shows what a run recorded, even while it is still going on.\n\n"
    "Examples:\n"
    "  prof report                          summary of the newest run here\n"
    "  prof report RUN --view functions --sort cumtime --limit 30\n"
    "  prof report RUN --view callers --function conv2d\n"
    "  prof report RUN --view heap --focus DataLoader\n"
    "  prof report RUN --view lines --sort peak          who held the memory, by line\n"
    "  prof report RUN --view leaks --steps 50           what keeps growing, by step\n"
    "  prof report RUN --view calls --focus 'Model.fit'  exact calls, and who called\n"
    "  prof report RUN --view kernels                    time on GPUs, and who asked for it\n"
    "  prof report RUN --view blocking                   what it waited for, and where\n"
    "  prof report RUN --view loading                    is the data loading slow, and why\n"
    "  prof report RUN --view ops                        PyTorch's operators\n"
    "  prof report RUN --view findings                   what to do about it\n"
    "  prof report RUN --format json -o report.json\n"
    "  prof report RUN --view source --focus train.py    the file, each line with its time\n";

constexpr const char* kViewAbout =
    "Makes a page of a run and opens it in a browser: findings, flame graph, tables,\n"
    "source and what happened when, in one file that loads nothing and can be sent.\n\n"
    "Examples:\n"
    "  prof view                            the newest run here\n"
    "  prof view RUN --no-open              only print where the page is\n"
    "  prof view RUN --source none          without source code, to send it elsewhere\n"
    "  prof report RUN --html -o run.html   the same page, where you want it\n";

constexpr const char* kExportAbout =
    "Writes what a run recorded for other programs.\n\n"
    "Examples:\n"
    "  prof export -f speedscope -o run.speedscope.json\n"
    "  prof export -f pprof -m live -o heap.pprof\n"
    "  prof export RUN -f folded > stacks.txt            for flame graphs\n"
    "  prof export RUN -f folded -m peak > memory.txt\n\n"
    "Formats, and what reads them:\n";

constexpr const char* kCompletionAbout =
    "Prints completions of prof's commands, options and their values for a shell.\n\n"
    "  bash:  eval \"$(prof completion bash)\"                           in ~/.bashrc\n"
    "  zsh:   eval \"$(prof completion zsh)\"                            in ~/.zshrc\n"
    "  fish:  prof completion fish > ~/.config/fish/completions/prof.fish\n";

std::string export_about() {
  std::string out = kExportAbout;
  for (const Export* one : exports()) out += fmt::format("  {:<12}{}\n", one->name, one->help);
  return out;
}

}  // namespace

HelpFormatter::HelpFormatter() { column_width(kOptionColumns); }

std::string HelpFormatter::make_description(const CLI::App* app) const {
  if (app->get_name() == "run") return std::string(kRunAbout) + '\n';
  if (app->get_name() == "report") return std::string(kReportAbout) + '\n';
  if (app->get_name() == "view") return std::string(kViewAbout) + '\n';
  if (app->get_name() == "export") return export_about() + '\n';
  if (app->get_name() == "completion") return std::string(kCompletionAbout) + '\n';
  return std::string(kAbout) + '\n';
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string) const {
  if (app->get_name() == "run") return "Usage: prof run [OPTIONS] [--] COMMAND [ARGUMENTS...]\n";
  if (app->get_name() == "report") return "Usage: prof report [RUN] [OPTIONS]\n";
  if (app->get_name() == "view") return "Usage: prof view [RUN] [OPTIONS]\n";
  if (app->get_name() == "export") return "Usage: prof export [RUN] --format FORMAT [OPTIONS]\n";
  if (app->get_name() == "completion") return "Usage: prof completion SHELL\n";
  return "Usage: prof COMMAND [OPTIONS] [...]\n";
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return show::wrapped(option->get_description(), kPageColumns - kOptionColumns);
}

}  // namespace prof::cli
