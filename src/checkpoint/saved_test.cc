#include "checkpoint/saved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/system/scratch_folder_test_util.h"
#include "checkpoint/checkpoint_test_util.h"

namespace trireme::checkpoint {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string refusal_to_open(const std::filesystem::path& folder) {
  return refusal([&] { return Saved::open(folder); });
}

// In place: where a file is emptied first, the file system may wait for the disk.
void overwrite(const std::filesystem::path& file, const std::string& bytes) {
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out) << bytes;
}

void flip_byte(const std::filesystem::path& file, std::size_t at) {
  std::string bytes = content(file);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
  overwrite(file, bytes);
}

class SavedRun : public testing::Test {
 protected:
  // Saving waits for the disk, so it is done once, and each test has a copy.
  static void SetUpTestSuite() {
    original = std::make_unique<ScratchFolder>();
    for (const std::int64_t step : {8, 9, 10}) save_small(original->path(), step);
  }
  static void TearDownTestSuite() { original.reset(); }
  SavedRun() {
    std::filesystem::copy(original->path(), run_.path(), std::filesystem::copy_options::recursive);
  }

  [[nodiscard]] std::filesystem::path step(std::int64_t number) const {
    return step_folder(run_.path(), number);
  }

  inline static std::unique_ptr<ScratchFolder> original;
  ScratchFolder run_;
};

TEST_F(SavedRun, HasANewestCheckpoint) {
  const std::filesystem::path run = run_.path();
  for (const auto& folder : {run, run / "", run / "checkpoints", run / "checkpoints" / ".." / "."}) {
    const Saved saved = Saved::open(folder);
    EXPECT_TRUE(is_small_checkpoint(saved)) << folder;
    EXPECT_EQ(saved.step(), 10);
    EXPECT_EQ(saved.folder(), step(10));
    EXPECT_EQ(saved.config(), "[job]\nworkers = 2\n");
    EXPECT_THAT(saved.passed_over(), IsEmpty());
  }
}

TEST_F(SavedRun, IsOpenedAtOneCheckpoint) {
  EXPECT_EQ(Saved::open(step(9)).step(), 9);
  EXPECT_EQ(Saved::open(step(9) / "").step(), 9);
  std::filesystem::rename(step(9), run_.path() / "best");
  EXPECT_TRUE(is_small_checkpoint(Saved::open(run_.path() / "best")));
}

TEST_F(SavedRun, ListsFiles) {
  const Saved saved = Saved::open(run_.path());
  EXPECT_THAT(saved.files_of("rule-"), ElementsAre("rule-0.safetensors", "rule-1.safetensors"));
  EXPECT_THAT(saved.files_of("random-"), IsEmpty());
  EXPECT_TRUE(saved.has(kWeightsFile));
  EXPECT_FALSE(saved.has("own-a.safetensors"));
  EXPECT_THAT(refusal([&] { return saved.open_file("own-a.safetensors"); }),
              HasSubstr("step-10 has no own-a"));
}

TEST_F(SavedRun, PassesOverWhatIsNotComplete) {
  std::filesystem::remove(step(10) / kDoneFile);
  std::filesystem::resize_file(step(9) / kWeightsFile, 12);
  const Saved saved = Saved::open(run_.path());
  EXPECT_TRUE(is_small_checkpoint(saved));
  EXPECT_EQ(saved.step(), 8);
  EXPECT_THAT(saved.passed_over(),
              ElementsAre(step(10).string() + " is not complete: it has no DONE",
                          StartsWith(step(9).string() +
                                     " is not complete: weights.safetensors has 12 bytes instead")));
}

TEST_F(SavedRun, WithoutACompleteCheckpointSaysWhatIsThere) {
  std::filesystem::remove(step(10) / kWeightsFile);
  std::filesystem::remove(step(9) / kDoneFile);
  std::filesystem::resize_file(step(8) / kDoneFile, 40);
  EXPECT_EQ(
      refusal_to_open(run_.path()),
      run_.path().string() +
          " has no complete checkpoint: step-10 (weights.safetensors is not there), step-9 (it has no DONE), "
          "step-8 (DONE is cut off or damaged: it does not end with the sum of its lines); give the folder "
          "of "
          "another run");
}

TEST_F(SavedRun, OffersAnOlderCheckpointForOneThatIsNotComplete) {
  std::filesystem::remove(step(10) / kWeightsFile);
  std::filesystem::remove(step(9) / kWeightsFile);
  EXPECT_EQ(refusal_to_open(step(10)),
            step(10).string() +
                " is not complete: weights.safetensors is not there; take the next older "
                "one: " +
                step(8).string());
  std::filesystem::remove(step(8) / kWeightsFile);
  EXPECT_THAT(refusal_to_open(step(8)),
              EndsWith("; there is no older one beside it; take one of another run"));
}

TEST_F(SavedRun, TellsEveryDamage) {
  const Saved saved = Saved::open(run_.path());
  flip_byte(step(10) / "rule-1.safetensors", 99);
  std::filesystem::remove(step(10) / kConfigFile);
  const std::vector<Damage> damages = saved.damages();
  ASSERT_EQ(damages.size(), 2);
  EXPECT_EQ(damages[0].what, "config.toml is not there");
  EXPECT_EQ(damages[1].file, "rule-1.safetensors");
  EXPECT_THAT(damages[1].what,
              testing::MatchesRegex("rule-1.safetensors has the sum ........ instead of ........"));
}

TEST_F(SavedRun, RefusesADamagedCheckpointAndOffersAnOlderOne) {
  flip_byte(step(10) / kWeightsFile, 99);
  const Saved saved = Saved::open(run_.path());
  const std::string said = refusal([&] {
    saved.require_whole();
    return 0;
  });
  EXPECT_THAT(said, StartsWith(step(10).string() + " is damaged: weights.safetensors has the sum "));
  EXPECT_THAT(said, EndsWith("; take the next older one: " + step(9).string()));
}

TEST_F(SavedRun, TellsHowMuchHasBeenRead) {
  std::uint64_t last = 0;
  const Saved saved = Saved::open(run_.path());
  saved.require_whole([&](std::uint64_t bytes) { last = bytes; });
  std::uint64_t all = 0;
  for (const FileSum& file : saved.files()) all += file.bytes;
  EXPECT_EQ(last, all);
}

// Whatever was cut off: the checkpoint is whole, or not complete, or an older one is taken.
TEST_F(SavedRun, CutOffAnywhereIsLoadedFromAnOlderCheckpoint) {
  for (const auto& entry : std::filesystem::directory_iterator(step(10))) {
    const std::string whole = content(entry.path());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      std::filesystem::resize_file(entry.path(), size);
      const Saved saved = Saved::open(run_.path());
      ASSERT_EQ(saved.step(), 9) << entry.path() << " of " << size << " bytes";
      ASSERT_EQ(saved.passed_over().size(), 1);
      ASSERT_THAT(refusal_to_open(step(10)), HasSubstr("; take the next older one: "));
    }
    overwrite(entry.path(), whole);
    ASSERT_EQ(Saved::open(run_.path()).step(), 10);
  }
}

// Whatever byte has changed: it is seen before anything is believed.
TEST_F(SavedRun, ChangedAnywhereIsFoundOut) {
  for (const auto& entry : std::filesystem::directory_iterator(step(10))) {
    const std::size_t size = std::filesystem::file_size(entry.path());
    for (std::size_t at = 0; at < size; ++at) {
      flip_byte(entry.path(), at);
      const std::string said = refusal([&] {
        Saved::open(step(10)).require_whole();
        return 0;
      });
      ASSERT_NE(said, "accepted") << entry.path() << " at byte " << at;
      flip_byte(entry.path(), at);
    }
  }
  EXPECT_TRUE(is_small_checkpoint(Saved::open(run_.path())));
}

TEST(SavedNowhere, IsToldWithWhatIsThere) {
  const ScratchFolder run;
  const std::string folder = run.path().string();
  EXPECT_EQ(refusal_to_open(folder + "/a"),
            folder + "/a is not there; give the folder of a run, or one checkpoints/step-N of it");
  EXPECT_THAT(refusal_to_open(folder), StartsWith(folder + " has no checkpoint: it is empty; "));
  const std::string file = run.write("config.toml", "");
  (void)run.write("a\nb", "");
  EXPECT_THAT(refusal_to_open(folder), StartsWith(folder + " has no checkpoint: it has a?b, config.toml; "));
  EXPECT_THAT(refusal_to_open(file), StartsWith(file + " is no folder; "));
  for (int i = 0; i < 20; ++i) (void)run.write(std::to_string(i), "");
  EXPECT_THAT(refusal_to_open(folder), HasSubstr(" and 12 more; "));
  std::filesystem::create_directory(run.path() / "checkpoints");
  EXPECT_THAT(refusal_to_open(folder), HasSubstr(" has no checkpoint: it has 0, 1"));
}

}  // namespace
}  // namespace trireme::checkpoint
