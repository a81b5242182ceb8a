#include <fmt/format.h>

#include "report/fold/memory/sizes.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
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

struct SizeRow {
  std::uint32_t size_class;
  fold::SizeClass blocks;
  double up_to;  // allocations of this class and of smaller ones
};

Figures<SizeRow> size_figures(fold::MemoryKind kind, double all) {
  const std::string name = kind == fold::MemoryKind::Python ? "python" : "heap";
  return {{data("kind", "kind", Kind::Text), [name](auto&) { return name; }},
          {{"class", "size", Kind::Text, "", Where::TableOnly}, [](auto& row) { return range_of(row.size_class); }},
          {data("largest_bytes", "largest", Kind::Plain),
           [](auto& row) {
             const auto most = fold::largest_of_class(row.size_class);
             return most ? Cell(model::to_signed(*most)) : Cell();
           }},
          {{"allocations", "allocs", Kind::Count}, [](auto& row) { return row.blocks.allocations; }},
          {{"share", "%", Kind::Share, "of all", Where::TableOnly},
           [all](auto& row) { return share(real(row.blocks.allocations), all); }},
          {{"up_to_share", "% up to", Kind::Share, "here", Where::TableOnly},
           [all](auto& row) { return share(row.up_to, all); }},
          {{"known_bytes", "bytes", Kind::Bytes},
           [](auto& row) {
             return known_if(row.blocks.unknown_allocations == 0 || row.blocks.known_bytes != 0,
                             row.blocks.known_bytes);
           }},
          {{"unknown_allocations", "bytes unknown", Kind::Count, "allocs"},
           [](auto& row) { return row.blocks.unknown_allocations; }}};
}

Sheet sizes_sheet(const fold::SizeClasses& classes, fold::MemoryKind kind) {
  Sheet sheet;
  sheet.title = kind == fold::MemoryKind::Python ? "Allocations of Python's own allocators, by size"
                                                 : "Allocations of malloc and its family, by size";
  std::vector<SizeRow> rows;
  double so_far = 0;
  bool unknown = false;
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    so_far += real(classes[i].allocations);
    unknown |= classes[i].unknown_allocations != 0;
    rows.push_back({i, classes[i], so_far});
  }
  fill(sheet, size_figures(kind, so_far), rows, rows.size());
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
  const fold::CallTree& tree = any_tree(subject);
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
