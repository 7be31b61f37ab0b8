// SPDX-License-Identifier: MIT
#include "experiments/data_set.h"

#include "anmf/estimate.h"

namespace anmf::cli {
namespace fs = std::filesystem;

std::optional<fs::path> find_data(const fs::path& folder, const std::string& name) {
  for (const fs::path& stem : {folder / name / name, folder / name}) {
    for (const char* extension : {".npy", ".mtx.gz", ".mtx", ""}) {
      fs::path path = stem.string() + extension;
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) return path;
    }
  }
  return std::nullopt;
}

std::string data_name(const fs::path& path) {
  fs::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

DataSet inspect(std::string name, const fs::path& path) {
  const io::LoadedMatrix<double> loaded = io::load<double>(path);
  const Data<double>& data = *loaded.data;
  return {.name = std::move(name),
          .path = path,
          .rows = data.rows(),
          .cols = data.cols(),
          .nonzeros = data.nonzeros(),
          .storage = data.storage(),
          .norm = data.norm()};
}

double hals_iteration(const DataSet& data, Index rank) {
  return iteration_flops(data.rows, data.cols, data.nonzeros, {.rank = rank, .method = "hals"}).least;
}

}  // namespace anmf::cli
