#include "report/model/build_tree.hpp"

namespace prof::model {
namespace {

// A function like any other in a stack: what is said of named work and calls is not said of it.
bool is_made_code(log::NameKind kind) {
  return kind == log::NameKind::MadeCode || kind == log::NameKind::Method || kind == log::NameKind::LuaTrace;
}

Frame special_frame(std::uint64_t payload) {
  Frame frame;
  switch (static_cast<log::SpecialFrame>(payload)) {
    case log::SpecialFrame::Truncated:
      frame.kind = Frame::Kind::Truncated;
      break;
    case log::SpecialFrame::NoStack:
      frame.kind = Frame::Kind::NoStack;
      break;
    case log::SpecialFrame::ExactCalls:
      frame.kind = Frame::Kind::ExactCalls;
      break;
    case log::SpecialFrame::ExactLines:
      frame.kind = Frame::Kind::ExactLines;
      break;
    case log::SpecialFrame::NoCaller:
      frame.kind = Frame::Kind::NoCaller;
      break;
    case log::SpecialFrame::UnseenLaunch:
      frame.kind = Frame::Kind::UnseenLaunch;
      break;
    case log::SpecialFrame::Profiler:
      frame.kind = Frame::Kind::Profiler;
      break;
    case log::SpecialFrame::Streams:
    case log::SpecialFrame::Spreads:
    case log::SpecialFrame::OpenRanges:
    case log::SpecialFrame::Waits:
    case log::SpecialFrame::Files:
    case log::SpecialFrame::Locks:
    case log::SpecialFrame::Operators:
      frame.kind = Frame::Kind::Aside;
      frame.number = static_cast<std::uint32_t>(payload);
      break;
    default:
      break;
  }
  return frame;
}

}  // namespace

Frame frame_of(std::uint64_t word, const Ids& ids) {
  Frame frame;
  switch (log::frame_kind(word)) {
    case log::FrameKind::Native:
      frame.address = log::frame_address(word);
      if (const auto found = ids.modules.find(log::frame_module(word)); found != ids.modules.end()) {
        frame.kind = Frame::Kind::Native;
        frame.module = found->second;
      }
      break;
    case log::FrameKind::Anonymous:
      frame.kind = Frame::Kind::Anonymous;
      frame.address = log::frame_payload(word);
      break;
    case log::FrameKind::Special:
      return special_frame(log::frame_payload(word));
    case log::FrameKind::Python:
    case log::FrameKind::PythonLine:
      if (const auto found = ids.codes.find(log::frame_code(word)); found != ids.codes.end())
        frame.code = found->second;
      if (log::frame_kind(word) == log::FrameKind::Python) {
        frame.kind = Frame::Kind::Python;
        frame.place = log::frame_place(word);
      } else {
        frame.kind = Frame::Kind::PythonLine;
        frame.line = log::frame_place(word);
      }
      break;
    case log::FrameKind::Named:
      frame.kind = Frame::Kind::Named;
      frame.number = log::frame_number(word);
      if (const auto found = ids.names.find(log::frame_name(word)); found != ids.names.end())
        frame.name = found->second;
      if (frame.name != kNoName && ids.named != nullptr && is_made_code((*ids.named)[frame.name].kind))
        frame.kind = Frame::Kind::Anonymous;
      break;
    default:
      break;
  }
  return frame;
}

}  // namespace prof::model
