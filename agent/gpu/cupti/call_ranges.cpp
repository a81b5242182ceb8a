// Which calls of the CUDA runtime and driver are of interest, by CUPTI's callback ids (cupti_runtime_cbid.h and
// cupti_driver_cbid.h: they only ever grow).
#include "agent/gpu/cupti/host_time.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint8_t R = kDomainRuntime, D = kDomainDriver;

}  // namespace

const CallRange kCallRanges[] = {
    {13, 13, R, CallClass::Launch},   {41, 52, R, CallClass::Launch},   {142, 143, R, CallClass::Launch},
    {145, 145, R, CallClass::Launch}, {161, 161, R, CallClass::Launch}, {163, 163, R, CallClass::Launch},
    {211, 211, R, CallClass::Launch}, {213, 214, R, CallClass::Launch}, {225, 236, R, CallClass::Launch},
    {243, 244, R, CallClass::Launch}, {246, 246, R, CallClass::Launch}, {250, 250, R, CallClass::Launch},
    {252, 253, R, CallClass::Launch}, {269, 270, R, CallClass::Launch}, {272, 272, R, CallClass::Launch},
    {284, 285, R, CallClass::Launch}, {311, 312, R, CallClass::Launch}, {430, 431, R, CallClass::Launch},
    {449, 450, R, CallClass::Launch}, {482, 485, R, CallClass::Launch}, {505, 506, R, CallClass::Launch},
    {509, 512, R, CallClass::Launch}, {534, 534, R, CallClass::Sync},   {554, 557, R, CallClass::Launch},
    {31, 40, R, CallClass::Copy},     {144, 144, R, CallClass::Copy},   {160, 160, R, CallClass::Copy},
    {162, 162, R, CallClass::Copy},   {215, 224, R, CallClass::Copy},   {245, 245, R, CallClass::Copy},
    {249, 249, R, CallClass::Copy},   {126, 126, R, CallClass::Sync},   {131, 132, R, CallClass::Sync},
    {137, 138, R, CallClass::Sync},   {165, 165, R, CallClass::Sync},   {239, 240, R, CallClass::Sync},
    {20, 26, R, CallClass::Memory},   {140, 141, R, CallClass::Memory}, {192, 192, R, CallClass::Memory},
    {194, 194, R, CallClass::Memory}, {206, 206, R, CallClass::Memory}, {373, 376, R, CallClass::Memory},
    {391, 392, R, CallClass::Memory}, {47, 47, D, CallClass::Launch},   {60, 60, D, CallClass::Launch},
    {62, 62, D, CallClass::Launch},   {64, 64, D, CallClass::Launch},   {66, 69, D, CallClass::Launch},
    {71, 71, D, CallClass::Launch},   {73, 73, D, CallClass::Launch},   {75, 75, D, CallClass::Launch},
    {77, 77, D, CallClass::Launch},   {79, 79, D, CallClass::Launch},   {81, 81, D, CallClass::Launch},
    {115, 117, D, CallClass::Launch}, {216, 216, D, CallClass::Launch}, {218, 218, D, CallClass::Launch},
    {220, 220, D, CallClass::Launch}, {222, 222, D, CallClass::Launch}, {224, 224, D, CallClass::Launch},
    {226, 226, D, CallClass::Launch}, {249, 254, D, CallClass::Launch}, {277, 277, D, CallClass::Launch},
    {279, 281, D, CallClass::Launch}, {283, 283, D, CallClass::Launch}, {289, 289, D, CallClass::Launch},
    {291, 291, D, CallClass::Launch}, {293, 293, D, CallClass::Launch}, {306, 307, D, CallClass::Launch},
    {319, 319, D, CallClass::Launch}, {321, 321, D, CallClass::Launch}, {399, 399, D, CallClass::Launch},
    {411, 416, D, CallClass::Launch}, {418, 433, D, CallClass::Launch}, {442, 442, D, CallClass::Launch},
    {467, 468, D, CallClass::Launch}, {477, 478, D, CallClass::Launch}, {480, 480, D, CallClass::Launch},
    {514, 515, D, CallClass::Launch}, {527, 528, D, CallClass::Launch}, {652, 653, D, CallClass::Launch},
    {716, 717, D, CallClass::Launch}, {776, 779, D, CallClass::Launch}, {796, 799, D, CallClass::Launch},
    {837, 840, D, CallClass::Launch}, {43, 43, D, CallClass::Copy},     {45, 45, D, CallClass::Copy},
    {49, 49, D, CallClass::Copy},     {51, 51, D, CallClass::Copy},     {53, 58, D, CallClass::Copy},
    {248, 248, D, CallClass::Copy},   {276, 276, D, CallClass::Copy},   {278, 278, D, CallClass::Copy},
    {282, 282, D, CallClass::Copy},   {284, 288, D, CallClass::Copy},   {290, 290, D, CallClass::Copy},
    {292, 292, D, CallClass::Copy},   {305, 305, D, CallClass::Copy},   {318, 318, D, CallClass::Copy},
    {320, 320, D, CallClass::Copy},   {397, 398, D, CallClass::Copy},   {400, 410, D, CallClass::Copy},
    {17, 17, D, CallClass::Sync},     {120, 121, D, CallClass::Sync},   {125, 126, D, CallClass::Sync},
    {439, 440, D, CallClass::Sync},   {800, 800, D, CallClass::Sync},   {29, 29, D, CallClass::Memory},
    {31, 31, D, CallClass::Memory},   {33, 33, D, CallClass::Memory},   {37, 39, D, CallClass::Memory},
    {243, 245, D, CallClass::Memory}, {271, 271, D, CallClass::Memory}, {294, 294, D, CallClass::Memory},
    {371, 371, D, CallClass::Memory}, {598, 601, D, CallClass::Memory}, {611, 612, D, CallClass::Memory}};
const std::uint32_t kCallRangeCount = sizeof(kCallRanges) / sizeof(kCallRanges[0]);

CallClass call_class(std::uint32_t domain, std::uint32_t id) {
  for (const CallRange& r : kCallRanges) {
    if (r.domain == domain && r.first <= id && id <= r.last) return r.what;
  }
  return CallClass::Other;
}

}  // namespace prof::gpu::cupti
