#include <fmt/format.h>

#include "report/fold/memory/sizes.hpp"
#include "report/show/captions.hpp"
#include "report/show/measure.hpp"
#include "report/show/numbers.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

std::string range_of(std::uint32_t size_class) {
  const auto most = fold::largest_of_class(size_class);
  const auto least = size_class == 0 ? std::optional<std::uint64_t>(0) : fold::largest_of_class(size_class - 1);
  if (!most) return fmt::format("more than {}", bytes(static_cast<double>(*least)));
  if (size_class == 0) return fmt::format("up to {}", bytes(static_cast<double>(*most)));
  return fmt::format("{} to {}", bytes(static_cast<double>(*least + 1)), bytes(static_cast<double>(*most)));
}

Sheet sizes_sheet(const fold::SizeClasses& classes, fold::MemoryKind kind) {
  const bool python = kind == fold::MemoryKind::Python;
  Sheet sheet;
  sheet.title =
      python ? "Allocations of Python's own allocators, by size" : "Allocations of malloc and its family, by size";
  sheet.columns = {{"kind", "kind", Kind::Text, "", Where::DataOnly},
                   {"class", "size", Kind::Text, "", Where::TableOnly},
                   {"largest_bytes", "largest", Kind::Plain, "", Where::DataOnly},
                   {"allocations", "allocs", Kind::Count},
                   {"share", "%", Kind::Share, "of all", Where::TableOnly},
                   {"up_to_share", "% up to", Kind::Share, "here", Where::TableOnly},
                   {"known_bytes", "bytes", Kind::Bytes},
                   {"unknown_allocations", "bytes unknown", Kind::Count, "allocs"}};
  double all = 0;
  for (const fold::SizeClass& row : classes) all += static_cast<double>(row.allocations);
  double so_far = 0;
  bool unknown = false;
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const fold::SizeClass& row = classes[i];
    so_far += static_cast<double>(row.allocations);
    unknown |= row.unknown_allocations != 0;
    const auto most = fold::largest_of_class(i);
    sheet.add({Cell(std::string(python ? "python" : "heap")), Cell(range_of(i)),
               most ? Cell(model::to_signed(*most)) : Cell(), row.allocations,
               share(static_cast<double>(row.allocations), all), share(so_far, all),
               row.unknown_allocations != 0 && row.known_bytes == 0 ? Cell() : Cell(row.known_bytes),
               row.unknown_allocations});
  }
  if (unknown) {
    sheet.notes.push_back(
        "bytes: of places that allocate blocks of this size alone; of those that allocate several sizes only the sum "
        "is "
        "known, in no row.");
  }
  return sheet;
}

}  // namespace

// Allocations by the size of the block.
static std::vector<Sheet> sizes_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = function_tree(subject);
  std::vector<Sheet> sheets;
  for (const fold::MemoryKind kind : {fold::MemoryKind::Heap, fold::MemoryKind::Python}) {
    if (kind == fold::MemoryKind::Python && !tree.python_known()) continue;
    const auto classes = fold::size_classes(subject.run, tree, subject.selection, kind);
    Sheet& sheet = sheets.emplace_back(sizes_sheet(classes.value_or(fold::SizeClasses{}), kind));
    if (!classes) {
      sheet.rows.clear();
      sheet.notes.assign(1, "The sizes of all blocks are recorded in exact mode only: prof run --heap exact.");
    }
  }
  std::vector<std::string>& captions = sheets.front().captions;
  for (std::string& caption : filters(subject, options)) captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) captions.push_back(std::move(caption));
  return sheets;
}

extern const View kSizesView{
    .name = "sizes",
    .help = "allocations by the size of the block",
    .topic = Topic::Memory,
    .available = any_process<[](const model::Process& p) { return p.heap_mode == log::HeapMode::Exact; }>,
    .sheets = sizes_view};

}  // namespace prof::show
