#include "agent/python/suspended.hpp"

namespace prof::python {
namespace {

bool layout_of_version(const Interpreter& of, SuspendedLayout& layout) {
  using Top = SuspendedLayout::Top;
  switch (of.version.minor) {
    case 8:
    case 9:
      layout = {360, 16, 56, 72, Top::Pointer};
      return true;
    case 10:
      layout = {352, 16, 48, 80, Top::CountOfStack, 64};
      return true;
    case 11:
      layout = {72, 80, 40, 64, Top::Count};
      return true;
    case 12:
    case 13:
      layout = {72, 72, 32, 64, Top::Count};
      return true;
    case 14:
    case 15:
      layout = {80, 72, 32, 64, Top::Pointer};
      return true;
    default:
      return false;
  }
}

}  // namespace

bool suspended_layout(const Interpreter& of, SuspendedLayout& layout) {
  if (!layout_of_version(of, layout)) return false;
  layout.coroutine += of.offsets.head_more();
  layout.qualname += of.offsets.head_more();
  return true;
}

}  // namespace prof::python
