// Loaded Sage networks and the exact decisions over them, as Python holds them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "common/cpu_path.hpp"
#include "cube/match_equity.hpp"
#include "sage/evaluator.hpp"
#include "search/decisions.hpp"
#include "search/sage_source.hpp"

namespace botd::bindings {

struct SageSearch {
  std::shared_ptr<const sage::Evaluator> evaluator;
  std::shared_ptr<const SageSource> source;
  std::shared_ptr<const SageSource> networks;  // without the bear-off database
  std::unique_ptr<Decider> decider;

  SageSearch(const std::filesystem::path& models, const std::filesystem::path& bearoff,
             const std::optional<std::string>& cpu_path, const MatchEquityTable& table)
      : evaluator(sage::Evaluator::load(models, bearoff,
                                        cpu_path ? cpu_path_from_name(*cpu_path) : best_cpu_path())),
        source(std::make_shared<SageSource>(evaluator)),
        networks(std::make_shared<SageSource>(evaluator, SageSource::Bearoff::kIgnore)),
        decider(std::make_unique<Decider>(source, table)) {}
};

}  // namespace botd::bindings
