#include "cube/money_window.hpp"

namespace botd {

MoneyWindow money_window(double average_win, double average_loss, const CubeState& state) {
  if (state.max_value == 0) {
    const double spread = average_win + average_loss + 0.5;
    return {(average_loss - 0.5) / spread, (average_loss + 1.0) / spread};
  }
  // Worked down from the last turn that the server allows; after it the cube is dead.
  const double both = average_win + average_loss;
  MoneyWindow window{(average_loss - 0.5) / both, (average_loss + 0.5) / both};
  for (int value = 4 * state.value; value <= state.max_value; value *= 2) {
    const MoneyWindow next = window;
    window.cash_point = next.take_point + (1.0 - next.take_point) * 1.5 / (average_win + 1.0);
    window.take_point = next.cash_point - next.cash_point * 1.5 / (average_loss + 1.0);
  }
  return window;
}

}  // namespace botd
