#include "cli/checkpoint/checkpoint_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/names.h"
#include "report/table.h"

namespace trireme::cli {
namespace {

using checkpoint::FileSum;
using checkpoint::Saved;
using checkpoint::StoredTensor;
using report::Json;
using report::Table;

constexpr const char* kUnknown = "–";

std::int64_t bytes_of(const std::vector<FileSum>& files) {
  std::uint64_t bytes = 0;
  for (const FileSum& file : files) bytes += file.bytes;
  return static_cast<std::int64_t>(bytes);
}

bool has_tensors(const FileSum& file) { return file.name.ends_with(".safetensors"); }

std::vector<StoredTensor> tensors_of(const Saved& saved, const FileSum& file) {
  return has_tensors(file) ? saved.open_file(file.name).tensors() : std::vector<StoredTensor>{};
}

std::string words_or_unknown(const std::string& text) { return text.empty() ? kUnknown : printable(text); }

std::string state_text(const Saved& saved) {
  const checkpoint::State& state = saved.state();
  Table table("lll");
  table.row({"", "step", with_commas(state.step)});
  table.row({"", "epochs done", with_commas(state.epoch)});
  table.row({"", "in this epoch", counted(state.position, "sample")});
  table.row({"", "saved", state.saved});
  table.row({"", "model", words_or_unknown(state.model)});
  table.row({"", "rule", words_or_unknown(state.rule)});
  table.row({"", "strategy", words_or_unknown(state.strategy)});
  table.row({"", "workers", with_commas(state.workers)});
  table.row({"", "servers", with_commas(state.servers)});
  table.row({"", "seed", fmt::format("{}", state.seed)});
  for (const auto& [name, value] : state.numbers) table.row({"", printable(name), fmt::format("{}", value)});
  for (const auto& [name, value] : state.texts) table.row({"", printable(name), printable(value)});
  return table.text();
}

std::string files_text(const Saved& saved) {
  Table table("llrlr");
  table.row({"", "file", "size", "CRC-32", "tensors"});
  for (const FileSum& file : saved.files()) {
    const std::string tensors = has_tensors(file) ? with_commas(std::ssize(tensors_of(saved, file))) : "";
    table.row({"", file.name, bytes_in_words(static_cast<std::int64_t>(file.bytes)),
               fmt::format("{:08x}", file.crc32), tensors});
  }
  return table.text();
}

std::string weights_text(const Saved& saved) {
  if (!saved.has(checkpoint::kWeightsFile)) return {};
  const std::vector<StoredTensor> tensors = saved.open_file(checkpoint::kWeightsFile).tensors();
  Table table("lllrr");
  table.row({"", "weights", "type", "shape", "size"});
  std::uint64_t elements = 0;
  for (const StoredTensor& tensor : tensors) {
    const checkpoint::TensorInfo& info = tensor.info;
    elements += tensor.bytes / size_of(info.type);
    table.row({"", printable(info.name), std::string(name_of(info.type)),
               checkpoint::shape_in_words(info.shape),
               bytes_in_words(static_cast<std::int64_t>(tensor.bytes))});
  }
  return fmt::format("\n{}\n{} in {}\n", table.text(),
                     counted(static_cast<std::int64_t>(elements), "element"),
                     counted(std::ssize(tensors), "tensor"));
}

Json state_json(const checkpoint::State& state) {
  return {{"step", state.step},         {"epoch", state.epoch},     {"position", state.position},
          {"seed", state.seed},         {"workers", state.workers}, {"servers", state.servers},
          {"strategy", state.strategy}, {"rule", state.rule},       {"model", state.model},
          {"saved", state.saved},       {"numbers", state.numbers}, {"texts", state.texts}};
}

Json tensors_json(const std::vector<StoredTensor>& tensors) {
  Json list = Json::array();
  for (const StoredTensor& tensor : tensors) {
    list.push_back({{"name", tensor.info.name},
                    {"type", name_of(tensor.info.type)},
                    {"shape", tensor.info.shape},
                    {"bytes", tensor.bytes}});
  }
  return list;
}

Json files_json(const Saved& saved) {
  Json list = Json::array();
  for (const FileSum& file : saved.files()) {
    Json one = {{"name", file.name}, {"bytes", file.bytes}, {"crc32", fmt::format("{:08x}", file.crc32)}};
    if (has_tensors(file)) one["tensors"] = tensors_json(tensors_of(saved, file));
    list.push_back(std::move(one));
  }
  return list;
}

CheckpointRow row_of(const checkpoint::Listed& listed) {
  CheckpointRow row{listed.folder, listed.step, {}, 0, 0, listed.missing};
  if (!listed.is_complete()) return row;
  try {
    const Saved saved = Saved::open(listed.folder);
    row.state = saved.state();
    row.files = std::ssize(saved.files());
    row.bytes = bytes_of(saved.files());
  } catch (const Error& error) {
    row.missing = error.failure().what;
  }
  return row;
}

CheckpointVerdict verdict_of(const checkpoint::Listed& listed, const Saved::Progress& progress) {
  CheckpointVerdict verdict{listed.folder, 0, 0, {}};
  if (!listed.is_complete()) {
    verdict.damages.push_back({"", listed.missing});
    return verdict;
  }
  try {
    const Saved saved = Saved::open(listed.folder);
    verdict.files = std::ssize(saved.files());
    verdict.bytes = bytes_of(saved.files());
    verdict.damages = saved.damages(progress);
  } catch (const Error& error) {
    verdict.damages.push_back({"", error.failure().what});
  }
  return verdict;
}

}  // namespace

std::vector<CheckpointRow> rows_of(const std::vector<checkpoint::Listed>& checkpoints) {
  std::vector<CheckpointRow> rows;
  rows.reserve(checkpoints.size());
  for (const checkpoint::Listed& listed : checkpoints) rows.push_back(row_of(listed));
  return rows;
}

std::string to_text(const std::vector<CheckpointRow>& rows) {
  Table table("rlrrl");
  table.row({"step", "saved", "files", "size", ""});
  for (const CheckpointRow& row : rows) {
    if (row.state) {
      table.row(
          {with_commas(row.step), row.state->saved, with_commas(row.files), bytes_in_words(row.bytes), ""});
    } else {
      table.row({with_commas(row.step), kUnknown, kUnknown, kUnknown, "not complete: " + row.missing});
    }
  }
  return table.text();
}

Json to_json(const std::vector<CheckpointRow>& rows) {
  Json list = Json::array();
  for (const CheckpointRow& row : rows) {
    Json one = {
        {"folder", printable(row.folder.string())}, {"step", row.step}, {"complete", row.state.has_value()}};
    if (row.state) {
      one.update({{"files", row.files}, {"bytes", row.bytes}, {"state", state_json(*row.state)}});
    } else {
      one["missing"] = row.missing;
    }
    list.push_back(std::move(one));
  }
  return {{"checkpoints", std::move(list)}};
}

std::string to_text(const Saved& saved) {
  return fmt::format("Checkpoint {}\n{}\n{}{}", printable(saved.folder().string()), state_text(saved),
                     files_text(saved), weights_text(saved));
}

Json to_json(const Saved& saved) {
  return {{"folder", printable(saved.folder().string())},
          {"bytes", bytes_of(saved.files())},
          {"state", state_json(saved.state())},
          {"files", files_json(saved)}};
}

std::vector<CheckpointVerdict> verify_all(const std::vector<checkpoint::Listed>& checkpoints,
                                          const std::function<void(double)>& progress) {
  std::int64_t all = 0;
  for (const CheckpointRow& row : rows_of(checkpoints)) all += row.bytes;
  std::int64_t before = 0;
  std::vector<CheckpointVerdict> verdicts;
  for (const checkpoint::Listed& listed : checkpoints) {
    verdicts.push_back(verdict_of(listed, [&](std::uint64_t bytes) {
      progress(static_cast<double>(before + static_cast<std::int64_t>(bytes)) / static_cast<double>(all));
    }));
    before += verdicts.back().bytes;
  }
  return verdicts;
}

bool are_whole(const std::vector<CheckpointVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const CheckpointVerdict& v) { return v.damages.empty(); });
}

std::string to_text(const std::vector<CheckpointVerdict>& verdicts) {
  std::string text;
  for (const CheckpointVerdict& verdict : verdicts) {
    const std::string folder = printable(verdict.folder.string());
    if (verdict.damages.empty()) {
      text += fmt::format("{} is whole: {}, {}\n", folder, counted(verdict.files, "file"),
                          bytes_in_words(verdict.bytes));
    }
    for (const checkpoint::Damage& damage : verdict.damages)
      text += fmt::format("{} is damaged: {}\n", folder, damage.what);
  }
  return text;
}

Json to_json(const std::vector<CheckpointVerdict>& verdicts) {
  Json list = Json::array();
  for (const CheckpointVerdict& verdict : verdicts) {
    Json damages = Json::array();
    for (const checkpoint::Damage& damage : verdict.damages) {
      damages.push_back({{"file", damage.file.empty() ? Json() : Json(damage.file)}, {"what", damage.what}});
    }
    list.push_back({{"folder", printable(verdict.folder.string())},
                    {"files", verdict.files},
                    {"bytes", verdict.bytes},
                    {"damages", std::move(damages)}});
  }
  return {{"whole", are_whole(verdicts)}, {"checkpoints", std::move(list)}};
}

}  // namespace trireme::cli
