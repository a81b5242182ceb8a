// Which line of a Java method a place in its bytecode belongs to, as the VM says.
#pragma once

#include <cstdint>

#include "agent/java/given.hpp"
#include "agent/java/jvmti_abi.hpp"

namespace prof::java {

// Source: JVM Tool Interface, GetLineNumberTable: entries in any order; a place belongs to the entry that begins last
// at or before it. Asked for and given back on a thread of the VM's that is in native code, not inside the agent.
class LineTable {
 public:
  LineTable(abi::Tools* tools, abi::Method method);

  // 0: not known.
  std::uint32_t at(std::int32_t place) const;
  // Of the first place that has one.
  std::uint32_t first() const;

 private:
  Given<abi::LineNumber> lines_;
  std::int32_t count_ = 0;
};

}  // namespace prof::java
