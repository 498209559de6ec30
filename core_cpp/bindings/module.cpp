#include "bindings/bindings.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "botd's engine core. Use it through botd.engine, which documents and types it.";
  m.attr("__version__") = BOTD_VERSION;
  botd::bindings::bind_common(m);
  botd::bindings::bind_board_arrays(m);
  botd::bindings::bind_rules(m);
  botd::bindings::bind_nets(m);
  botd::bindings::bind_sage(m);
  botd::bindings::bind_move_filter(m);
  botd::bindings::bind_gnubg(m);
  botd::bindings::bind_search(m);
  botd::bindings::bind_plays(m);
  botd::bindings::bind_gnubg_search(m);
  botd::bindings::bind_puretd(m);
  botd::bindings::bind_fast(m);
  botd::bindings::bind_rollout(m);
  botd::bindings::bind_bearoff(m);
  botd::bindings::bind_training(m);
}
