#include "config/key_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/key_types.h"

namespace trireme::config {
namespace {

using ::testing::ElementsAre;

// A kind of configuration other than the one for training.
struct Ship {
  struct Hull {
    std::int64_t oars = 170;
    std::string wood = "fir";
  } hull;
  bool has_sail = false;
  std::int32_t masts = 2;
  struct Boat {
    std::string name;
    std::int64_t seats = 4;
  };
  std::vector<Boat> boats{};
};

const KeyTable<Ship>& ship_keys() {
  static const std::vector<Key<Ship>> boats = keys_of_each<Ship, Ship::Boat>(
      "sail.boat", &Ship::boats,
      {key("sail.boat.name", "as it is called", Text{}, &Ship::Boat::name),
       key("sail.boat.seats", "how many sit there", WholeNumber{1, 9}, &Ship::Boat::seats).such_as("3")});
  std::vector<Key<Ship>> keys = {
      key("hull.oars", "how many row", WholeNumber{1, 1000}, &Ship::hull, &Ship::Hull::oars),
      key("hull.wood", "what it is made of", Text{}, &Ship::hull, &Ship::Hull::wood),
      key("sail.kind", "none or square", OneOf<bool>{{"none", "square"}, {false, true}}, &Ship::has_sail),
      key("sail.masts", "how many", WholeNumber{0, 9}, &Ship::masts)
          .only_of("square", [](const Ship& ship) { return ship.has_sail; }),
  };
  keys.insert(keys.end(), boats.begin(), boats.end());
  static const KeyTable<Ship> table(std::move(keys));
  return table;
}

struct Built {
  Ship ship;
  Sources sources;
};

Built build(const std::vector<Setting>& settings) {
  Built built;
  ship_keys().read(settings, built.ship, built.sources);
  return built;
}

std::string refusal(const std::vector<Setting>& settings) {
  try {
    (void)build(settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(std::string_view text) { return refusal(read_toml(text, "ship.toml")); }

TEST(KeyTable, SetsMembersAndRemembersWhere) {
  const Built built = build(read_toml("[hull]\noars = 50\n[sail]\nmasts = 1\n", "ship.toml"));
  EXPECT_EQ(built.ship.hull.oars, 50);
  EXPECT_EQ(built.ship.hull.wood, "fir");
  EXPECT_EQ(built.ship.masts, 1);
  EXPECT_EQ(built.sources, (Sources{{"hull.oars", "ship.toml:2"}, {"sail.masts", "ship.toml:4"}}));
}

TEST(KeyTable, LetsTheLastSettingHold) {
  const Built built = build({read_assignment("hull.oars=1"), read_typed("hull.oars", "2", "--oars")});
  EXPECT_EQ(built.ship.hull.oars, 2);
  EXPECT_EQ(built.sources.at("hull.oars"), "--oars");
}

TEST(KeyTable, NamesTheNearestOfAnUnknownKey) {
  EXPECT_EQ(refusal("[hull]\n\noar = 1\n"), "ship.toml:3: unknown key hull.oar; did you mean hull.oars?");
  EXPECT_EQ(refusal("oars = 1\n"), "ship.toml:1: unknown key oars; did you mean hull.oars?");
  EXPECT_EQ(refusal("[sail]\noars = 1\n"), "ship.toml:2: unknown key sail.oars; did you mean hull.oars?");
  EXPECT_EQ(refusal({read_assignment("hul.oars=1")}), "--set: unknown key hul.oars; did you mean hull.oars?");
}

TEST(KeyTable, NamesAllThatThereIsWhereNothingIsNear) {
  EXPECT_EQ(refusal("[hull]\ncolour = 1\n"),
            "ship.toml:2: unknown key hull.colour; the keys of [hull] are oars, wood");
  EXPECT_EQ(refusal("colour = 1\n"), "ship.toml:1: unknown key colour; the sections are hull, sail");
  EXPECT_EQ(refusal("[cargo]\n"), "ship.toml:1: unknown section [cargo]; the sections are hull, sail");
}

TEST(KeyTable, NamesTheNearestOfAnUnknownSection) {
  EXPECT_EQ(refusal("\n[hulk]\noars = 1\n"), "ship.toml:2: unknown section [hulk]; did you mean [hull]?");
}

TEST(KeyTable, WantsSectionsToBeSections) {
  EXPECT_EQ(refusal("hull = 3\n"),
            "ship.toml:1: hull is a whole number, and must be a section; write [hull] on a line of its own, "
            "and its "
            "keys below");
  EXPECT_EQ(refusal("[[hull]]\noars = 1\n").substr(0, 53),
            "ship.toml:1: hull is a list, and must be a section; w");
  EXPECT_EQ(refusal({read_assignment("hull=3")}).substr(0, 60),
            "--set hull is a whole number, and must be a section; write [");
}

TEST(KeyTable, WantsKeysNotToBeSections) {
  EXPECT_EQ(refusal("[hull.oars]\nx = 1\n").substr(0, 62),
            "ship.toml:1: hull.oars is a table, and must be a whole number;");
}

TEST(KeyTable, WritesAllKeysUnderTheirSections) {
  EXPECT_EQ(plain_toml(ship_keys().lines(Ship(), {})),
            "[hull]\noars = 170\nwood = \"fir\"\n\n[sail]\nkind = \"none\"\nmasts = 2\n");
}

TEST(KeyTable, ExplainsWithCommentsAndLeavesOutWhatIsNotUsed) {
  EXPECT_EQ(explained_toml(ship_keys().lines(Ship(), {{"hull.oars", "--set"}})),
            "[hull]\n"
            "oars = 170     # --set    how many row\n"
            "wood = \"fir\"   # default  what it is made of\n"
            "\n"
            "[sail]\n"
            "kind = \"none\"  # default  none or square\n"
            "# masts = 2    # default  square: how many\n"
            "\n"
            "# [[sail.boat]]\n"
            "# seats = 3    # example  how many sit there\n");
}

constexpr std::string_view kTwoBoats =
    "[sail]\nkind = \"square\"\nmasts = 2\n\n[[sail.boat]]\nname = \"a\"\nseats = 3\n\n"
    "[[sail.boat]]\nname = \"b\"\nseats = 4\n";

TEST(KeyTable, ReadsAndWritesTablesOfWhichThereAreSeveral) {
  const Built built = build(read_toml(kTwoBoats, "ship.toml"));
  ASSERT_EQ(built.ship.boats.size(), 2U);
  EXPECT_EQ(built.ship.boats[0].seats, 3);
  EXPECT_EQ(built.ship.boats[1].name, "b");
  const std::string text = plain_toml(ship_keys().lines(built.ship, {}));
  EXPECT_EQ(text.substr(text.find("[sail]")), kTwoBoats);
}

TEST(KeyTable, RemembersWhereEachOfSeveralTablesWasSet) {
  const Built built =
      build(read_toml("[[sail.boat]]\nseats = 3\n[[sail.boat]]\nname = \"b\"\n", "ship.toml"));
  const std::string text = explained_toml(ship_keys().lines(built.ship, built.sources));
  EXPECT_EQ(text.substr(text.find("\n[[")),
            "\n[[sail.boat]]\n"
            "name = \"\"      # default      as it is called\n"
            "seats = 3      # ship.toml:2  how many sit there\n"
            "\n"
            "[[sail.boat]]\n"
            "name = \"b\"     # ship.toml:4  as it is called\n"
            "seats = 4      # default      how many sit there\n");
}

TEST(KeyTable, WantsTablesOfAFile) {
  const std::string hint = "; write [[sail.boat]] on a line of its own in a file, and its keys below";
  EXPECT_EQ(refusal("[sail]\nboat = 3\n"),
            "ship.toml:2: sail.boat is a whole number, and must be a table" + hint);
  EXPECT_EQ(refusal({read_assignment("sail.boat.seats=3")}),
            "--set sail.boat.seats can only be set in a file" + hint);
  EXPECT_EQ(refusal("[[sail.boat]]\nseat = 3\n"),
            "ship.toml:2: unknown key sail.boat.seat; did you mean sail.boat.seats?");
  EXPECT_EQ(refusal("[sail.boat]\nseats = 3\n"),
            "ship.toml:1: sail.boat is one table [sail.boat], and there may be several [[sail.boat]]" + hint);
  EXPECT_EQ(refusal("[[sail.boat]]\nseats = 10\n").substr(0, 29), "ship.toml:2: sail.boat.seats:");
}

TEST(KeyTable, NamesTheKeysOfTheTableWhereNothingIsNear) {
  EXPECT_EQ(refusal("[[sail.boat]]\ncolour = 3\n"),
            "ship.toml:2: unknown key sail.boat.colour; the keys of [[sail.boat]] are name, seats");
  EXPECT_EQ(refusal("[sail]\ncolour = 3\n"),
            "ship.toml:2: unknown key sail.colour; the keys of [sail] are kind, masts, boat");
}

TEST(KeyTable, RemembersWhereATableBegins) {
  const Built built = build(read_toml("[[sail.boat]]\n\n[[sail.boat]]\nseats = 3\n", "ship.toml"));
  EXPECT_EQ(built.sources, (Sources{{"sail.boat in table 1", "ship.toml:1"},
                                    {"sail.boat in table 2", "ship.toml:3"},
                                    {"sail.boat.seats in table 2", "ship.toml:4"}}));
}

TEST(KeyTable, WritesAMemberWithTwoNamesOnce) {
  const KeyTable<Ship> table({
      key("hull.oars", "how many row", WholeNumber{}, &Ship::hull, &Ship::Hull::oars),
      key("hull.rowers", "oars", WholeNumber{}, &Ship::hull, &Ship::Hull::oars).instead_of("hull.oars"),
  });
  Built built;
  const std::vector<Setting> settings = {read_assignment("hull.rowers=50")};
  table.read(settings, built.ship, built.sources);
  EXPECT_EQ(built.sources, (Sources{{"hull.rowers", "--set"}}));
  EXPECT_EQ(explained_toml(table.lines(built.ship, built.sources)),
            "[hull]\noars = 50  # --set  how many row\n");
}

TEST(KeyTable, NamesAKeyAndWhereItWasSet) {
  const Sources sources = {{"hull.oars", "ship.toml:2"}, {"hull.wood", "--set"}};
  EXPECT_EQ(subject("hull.oars", sources), "ship.toml:2: hull.oars");
  EXPECT_EQ(subject("hull.wood", sources), "--set hull.wood");
  EXPECT_EQ(subject("sail.masts", sources), "sail.masts");
}

TEST(KeyTable, SaysWhatWasSetAndIsNotUsed) {
  const Sources sources = {{"hull.oars", "--set"}, {"sail.masts", "ship.toml:4"}};
  EXPECT_THAT(say_unused(ship_keys().lines(Ship(), sources)),
              ElementsAre("sail.masts (ship.toml:4) is not used: it is for square"));
  EXPECT_THAT(say_unused(ship_keys().lines(Ship{.hull = {}, .has_sail = true}, sources)), ElementsAre());
  EXPECT_THAT(say_unused(ship_keys().lines(Ship(), {})), ElementsAre());
}

}  // namespace
}  // namespace trireme::config
