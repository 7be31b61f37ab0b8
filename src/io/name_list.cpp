// SPDX-License-Identifier: MIT
#include "io/name_list.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "anmf/error.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/text_fields.h"

namespace anmf::io {

std::vector<std::string> read_names(const std::filesystem::path& path, Index expected, int field) {
  LineReader reader(path);
  std::vector<std::string> names;
  std::size_t last = 0;  // behind the last line that is not blank
  while (reader.next()) {
    Fields fields(without_marks(reader.line()), '\t');
    static_cast<void>(fields.next());
    std::string name(fields.field());
    for (int i = 0; i < field && fields.next(); ++i) name = fields.field();
    if (!is_utf8(name)) reader.fail(fmt::format("the name {} is not UTF-8.", in_quotes(name)));
    names.push_back(std::move(name));
    if (!names.back().empty()) last = names.size();
  }
  names.resize(last);
  if (static_cast<Index>(names.size()) != expected) {
    throw InvalidInput(fmt::format("{}: {} found, expected {}.", path.string(),
                                   counted(static_cast<Index>(names.size()), "name"), expected));
  }
  return names;
}

std::vector<std::string> read_names_if_there(const std::filesystem::path& path, Index expected, int field) {
  std::error_code ignored;
  for (const std::filesystem::path& candidate : {path, std::filesystem::path(path.string() + ".gz")}) {
    if (std::filesystem::is_regular_file(candidate, ignored)) return read_names(candidate, expected, field);
  }
  return {};
}

}  // namespace anmf::io
