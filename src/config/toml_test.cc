#include "config/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "base/system/scratch_folder_test_util.h"

namespace trireme::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

std::string refusal_of_text(std::string_view text) {
  return refusal([&] { (void)read_toml(text, "job.toml"); });
}

// "train.epochs job.toml:2 a whole number"
std::vector<std::string> all_in(std::string_view text) {
  std::vector<std::string> all;
  for (const Setting& one : read_toml(text, "job.toml"))
    all.push_back(one.key + " " + one.origin + " " + std::string(kind_in_words(one.value)));
  return all;
}

class Toml : public ::testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& text) const { return folder_.write("job.toml", text); }

  ScratchFolder folder_;
};

TEST_F(Toml, GivesSectionsAndKeysInTheOrderOfTheFile) {
  EXPECT_THAT(all_in("[train]\nsteps = 1\nepochs = 2.5\n[data]\npath = 'x'\n"),
              ElementsAre("train job.toml:1 a table", "train.steps job.toml:2 a whole number",
                          "train.epochs job.toml:3 a float", "data job.toml:4 a table",
                          "data.path job.toml:5 a string"));
}

TEST_F(Toml, KnowsSectionsThatAreWrittenInOneLine) {
  EXPECT_THAT(all_in("a.b = true\nc = {d = [1]}\n"),
              ElementsAre("a job.toml:1 a table", "a.b job.toml:1 a boolean", "c job.toml:2 a table",
                          "c.d job.toml:2 a list"));
}

TEST_F(Toml, GivesEachOfSeveralTablesBeforeItsKeys) {
  EXPECT_THAT(
      all_in("[fleet]\nname = 'x'\n[[fleet.ship]]\nwood = 'fir'\noars = 1\n[[fleet.ship]]\noars = 2\n"),
      ElementsAre("fleet job.toml:1 a table", "fleet.name job.toml:2 a string",
                  "fleet.ship job.toml:3 a table", "fleet.ship.wood job.toml:4 a string",
                  "fleet.ship.oars job.toml:5 a whole number", "fleet.ship job.toml:6 a table",
                  "fleet.ship.oars job.toml:7 a whole number"));
  EXPECT_THAT(all_in("[fleet]\nship = [{oars = 1}, {oars = 2}]\n"),
              ElementsAre("fleet job.toml:1 a table", "fleet.ship job.toml:2 a table",
                          "fleet.ship.oars job.toml:2 a whole number", "fleet.ship job.toml:2 a table",
                          "fleet.ship.oars job.toml:2 a whole number"));
}

TEST_F(Toml, LeavesWhatLiesDeeperAsATable) {
  EXPECT_THAT(all_in("[a.b]\nc = 1\n"), ElementsAre("a job.toml:1 a table", "a.b job.toml:1 a table"));
}

TEST_F(Toml, KnowsADateFromAString) {
  EXPECT_THAT(all_in("a = 2024-01-01\n"), ElementsAre("a job.toml:1 a date or time"));
}

TEST_F(Toml, IsRefusedWithTheLineWhereItIsNone) {
  EXPECT_THAT(refusal_of_text("[train]\nepochs = \n"), HasSubstr("job.toml:2: this is not TOML: "));
  EXPECT_THAT(refusal_of_text("[train\n"), HasSubstr("job.toml:1: this is not TOML: "));
  EXPECT_THAT(refusal_of_text("\n[ # train\n"), HasSubstr("job.toml:2: this is not TOML: "));
  EXPECT_THAT(refusal_of_text("a = 1\na = 2\n"), HasSubstr("job.toml:2: this is not TOML: "));
  EXPECT_THAT(refusal_of_text("a = '\xff'\n"), HasSubstr("job.toml:1: this is not TOML: "));
}

TEST_F(Toml, HoldsLettersOfAnyLanguageBetweenQuotesAlone) {
  EXPECT_EQ(std::get<std::string>(read_toml("a = \"\"\"\\\n§\"\"\"", "job.toml").at(0).value.is), "§");
  EXPECT_THAT(refusal_of_text("a = [ö]\n"), HasSubstr("job.toml:1: this is not TOML: "));
  EXPECT_THAT(refusal_of_text("ö = 1\n"), HasSubstr("job.toml:1: this is not TOML: "));
}

TEST_F(Toml, IsReadFromAFile) {
  const std::vector<Setting> settings = read_toml_file(write("[train]\nepochs = 7\n"));
  ASSERT_EQ(settings.size(), 2);
  EXPECT_EQ(std::get<std::int64_t>(settings[1].value.is), 7);
  EXPECT_EQ(settings[1].origin, (folder_.path() / "job.toml").string() + ":2");
}

TEST_F(Toml, IsNoFolderAndNoMissingFile) {
  EXPECT_THAT(refusal([&] { (void)read_toml_file(folder_.path()); }),
              HasSubstr(": it is a folder; give the path"));
  EXPECT_THAT(refusal([&] { (void)read_toml_file(folder_.path() / "none.toml"); }),
              HasSubstr("none.toml: No such file or directory; give the path"));
}

TEST_F(Toml, IsNotReadWithoutEnd) {
  EXPECT_EQ(read_toml_file(write(std::string(1 << 16, '\n'))).size(), 0);
  EXPECT_THAT(refusal([&] { (void)read_toml_file(write(std::string((1 << 16) + 1, '\n'))); }),
              HasSubstr("it has more than 64 KiB"));
}

TEST_F(Toml, IsNotDeeperThanAStack) {
  std::string deep = "a";
  for (int i = 0; i < 500; ++i) deep += ".a";
  EXPECT_EQ(read_toml_file(write(deep + " = 1")).size(), 2);
  EXPECT_THAT(refusal([&] { (void)read_toml_file(write("b = 1\n" + deep + ".a = 1")); }),
              HasSubstr(":2: the line has more than 500 dots"));
  EXPECT_TRUE(std::holds_alternative<std::string>(read_typed("k", "{" + deep + ".a = 1}", "--k").value.is));
}

TEST(TypedValue, IsTomlIfItCanBe) {
  EXPECT_EQ(std::get<std::int64_t>(read_typed("k", "7", "--k").value.is), 7);
  EXPECT_EQ(std::get<double>(read_typed("k", "7.5", "--k").value.is), 7.5);
  EXPECT_EQ(std::get<std::string>(read_typed("k", "\"a b\"", "--k").value.is), "a b");
  EXPECT_EQ(std::get<TomlValue::List>(read_typed("k", "[1,2]", "--k").value.is).size(), 2);
}

TEST(TypedValue, IsElseAString) {
  EXPECT_EQ(std::get<std::string>(read_typed("k", "mlp", "--k").value.is), "mlp");
  EXPECT_EQ(std::get<std::string>(read_typed("k", "[1,", "--k").value.is), "[1,");
  EXPECT_EQ(std::get<std::string>(read_typed("k", "1\nj = 2", "--k").value.is), "1\nj = 2");
  EXPECT_EQ(std::get<std::string>(read_typed("k", "", "--k").value.is), "");
}

TEST(TypedValue, MayBeAWordOfAnyLanguage) {
  for (const char* word : {"ö", "größe", "[ö", "§ 3", "1ö", "ﬀ", "日本", "1\u00a0"})
    EXPECT_EQ(std::get<std::string>(read_typed("k", word, "--k").value.is), word);
}

TEST(Assignment, IsAKeyAndAValue) {
  const Setting setting = read_assignment(" model.kind = a=b ");
  EXPECT_EQ(setting.key, "model.kind");
  EXPECT_EQ(std::get<std::string>(setting.value.is), "a=b");
  EXPECT_EQ(setting.origin, "--set");
}

TEST(Assignment, NeedsBoth) {
  EXPECT_EQ(refusal([] { (void)read_assignment("epochs"); }),
            "--set: 'epochs' is not a key and a value; give them like section.key=value");
  EXPECT_THAT(refusal([] { (void)read_assignment(" =3"); }), HasSubstr("is not a key and a value"));
  EXPECT_THAT(refusal([] { (void)read_assignment(""); }), HasSubstr("is not a key and a value"));
}

TEST(Subject, NamesWhereAndWhat) {
  EXPECT_EQ(subject(read_toml("[a]\nb = 1", "job.toml")[1]), "job.toml:2: a.b");
  EXPECT_EQ(subject(read_assignment("a.b=1")), "--set a.b");
  EXPECT_EQ(subject(read_typed("a.b", "1", "--b")), "--b");
}

}  // namespace
}  // namespace trireme::config
