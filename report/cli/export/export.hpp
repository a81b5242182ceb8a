// The formats of `prof export`: each a row, in the file that writes it.
#pragma once

#include <span>
#include <string_view>

#include "report/cli/common/opened_run.hpp"
#include "report/cli/export/export_command.hpp"
#include "report/formats/write.hpp"

namespace prof::cli {

enum class Exported {
  Something,
  Nothing,  // no stack has what was asked for
  Refused,  // and the reason was said
};

struct Export {
  std::string_view name;         // of --format
  std::string_view help;         // what reads it
  bool for_people = false;       // it reads well on a terminal
  bool any_metric = false;       // --metric chooses what it holds
  bool own_file = false;         // it is written to the file of -o itself, and never to stdout
  std::string_view option = {};  // of `prof export`, which goes with this format alone: "--merge"
  // Throws UsageError where the selection is none that the format can hold.
  Exported (*write)(const ExportArguments&, const OpenedRun&, const formats::Write&);
};

std::span<const Export* const> exports();
extern const Export kFoldedExport;  // `prof report --format folded` is the same

inline Exported something_if(bool any) { return any ? Exported::Something : Exported::Nothing; }

}  // namespace prof::cli
