// The type of JSON values, for headers that only name it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace prof::formats {

template <class Key, class Value, class Less, class Allocator>
class JsonMembers;

using Json = nlohmann::basic_json<JsonMembers>;

}  // namespace prof::formats
