// Each layer registers its part of botd._core.
#pragma once

#include <pybind11/pybind11.h>

namespace botd::bindings {

void bind_common(pybind11::module_& m);
void bind_board_arrays(pybind11::module_& m);
void bind_move_filter(pybind11::module_& m);
void bind_gnubg(pybind11::module_& m);
void bind_gnubg_search(pybind11::module_& m);
void bind_nets(pybind11::module_& m);
void bind_plays(pybind11::module_& m);
void bind_puretd(pybind11::module_& m);
void bind_rules(pybind11::module_& m);
void bind_bearoff(pybind11::module_& m);
void bind_sage(pybind11::module_& m);
void bind_training(pybind11::module_& m);
void bind_search(pybind11::module_& m);
void bind_fast(pybind11::module_& m);
void bind_rollout(pybind11::module_& m);

}  // namespace botd::bindings
