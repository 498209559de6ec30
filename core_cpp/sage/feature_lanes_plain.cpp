#include "sage/contact_features.hpp"
#include "sage/feature_lanes.hpp"
#include "sage/side_view.hpp"

namespace botd::sage {

ContactInputsFunction contact_inputs_function(CpuPath path) {
  switch (path) {
#ifdef BOTD_X86
    case CpuPath::avx2:
      return contact_inputs_avx2;
    case CpuPath::avx512:
      return contact_inputs_avx512;
#endif
    default:
      return contact_inputs_plain;
  }
}

void contact_inputs_plain(const Board* boards, int count, const FeatureTables& /*tables*/, float* inputs) {
  static_assert(kBothSidesExtras == 2 * kFeatures);
  for (int i = 0; i < count; ++i, inputs += kBothSidesExtras) {
    const PositionView view = view_of(boards[i]);
    write_feature_inputs(contact_features(view.own), inputs);
    write_feature_inputs(contact_features(view.opponent), inputs + kFeatures);
  }
}

}  // namespace botd::sage
