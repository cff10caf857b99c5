// Two kinds of TOML files go to commands of this program: one describes a training, the other a job and a
// cluster. A file of the other kind is told by its keys.
#pragma once

#include <string>

namespace trireme::cli {

/// For a file that could not be read as a training: throws `Error` (bad input) that names the right command
/// if more of its keys are those of a job and a cluster.
void refuse_scenario(const std::string& file);

/// The same for a file that could not be read as a job and a cluster.
void refuse_training(const std::string& file);

}  // namespace trireme::cli
