"""The view as it stands in the address."""
import random
from urllib.parse import parse_qsl, urlencode

from contract.address import DEFAULTS, FILTERS, format_address
from fixture.modules import ModuleCase
from fixture.views import random_view

EMPTY = {"app": None, "range": "28d", "tz": None, "filters": [], "cohort": None, "dimension": "service.version",
         "steps": [], "within": "24h"}


class FragmentTests(ModuleCase):
    def parse(self, *fragments):
        return self.call("view.js", "parseFragment", [[one] for one in fragments])

    def test_nothing_is_the_default(self):
        for found in self.parse("", "#", "#zzz=1&App=shop&&=&x"):
            self.assertEqual(found, {"view": EMPTY, "wrong": []})

    def test_the_order_is_one_and_defaults_are_left_out(self):
        scrambled = ("#within=7d&step=b&os.name=iOS&dimension=os.name&zzz=1&tz=Asia/Kathmandu&step=a&range=91d"
                     "&service.version=1&os.name=Android&cohort=week&app=shop&os.name=iOS")
        (found,) = self.parse(scrambled)
        self.assertEqual(found["wrong"], [])
        self.assertTable("view.js", "formatFragment", [
            (found["view"], "app=shop&range=91d&tz=Asia%2FKathmandu&os.name=iOS&os.name=Android&service.version=1"
                            "&cohort=week&dimension=os.name&step=b&step=a&within=7d"),
            (EMPTY, ""), ({**EMPTY, "app": "shop"}, "app=shop")])
        spelled_out = "#" + urlencode(DEFAULTS)
        self.assertEqual(self.parse(spelled_out), [{"view": EMPTY, "wrong": []}])

    def test_ill_formed_members_count_as_absent_and_are_named(self):
        table = [("range", one) for one in ["0d", "1001d", "28", "2020-01-01..2026-01-01", "2026-02-30..2026-03-01", ""]]
        table += [("tz", one) for one in ["Mars/Olympus", "", "europe/berlin", "<b>"]]
        table += [("cohort", one) for one in ["year", "", "constructor"]]
        table += [("dimension", one) for one in ["x", "__proto__", "os.name,os.version"]]
        table += [("within", one) for one in ["1y", "0h", "h", "1", "-1h", "1.5h", "24H", ""]]
        table += [("app", "")] + [(key, "") for key in FILTERS] + [("step", "only one"), ("step", "")]
        found = self.parse(*[f"#{urlencode([pair])}&os.name=iOS" if pair[0] != "os.name" else "#os.name=&os.name=iOS"
                             for pair in table])
        for pair, one in zip(table, found):
            self.assertEqual(one, {"view": {**EMPTY, "filters": [["os.name", "iOS"]]}, "wrong": [pair[0]]}, pair)
        eleven = "&".join(["step=a"] * 11)
        self.assertEqual(self.parse(eleven), [{"view": EMPTY, "wrong": ["step"]}])

    def test_filters_that_no_question_could_carry_are_left_out(self):
        many = [("os.name", f"v{index}") for index in range(60)]
        long = [("os.version", "x" * 1000) for _ in range(1)] + [("service.version", f"{index}" + "y" * 999) for index in range(9)]
        found = self.parse(urlencode(many), urlencode(long), "os.name=%00&os.name=iOS", "range=1969-12-31..1970-01-05")
        self.assertEqual([len(one["view"]["filters"]) for one in found], [50, 4, 1, 0])
        self.assertEqual([one["wrong"] for one in found], [["os.name"], ["service.version"], ["os.name"], ["range"]])

    def test_random_views_come_back_the_same(self):
        chance = random.Random(7)
        views = [random_view(chance) for _ in range(400)]
        texts = [format_address(view) for view in views]
        found = self.parse(*texts)
        written = self.call("view.js", "formatFragment", [[one["view"]] for one in found])
        again = self.parse(*written)
        for view, text, one, other, twice in zip(views, texts, found, written, again, strict=True):
            self.assertEqual(one["wrong"], [], text)
            self.assertEqual(one["view"]["filters"], [list(pair) for pair in sorted(view["filters"], key=lambda pair: FILTERS.index(pair[0]))])
            self.assertEqual(one["view"]["steps"], view["steps"])
            self.assertEqual(parse_qsl(other), parse_qsl(text))
            self.assertEqual(twice, one)
            self.assertRegex(other, r"^[A-Za-z0-9*._+%=&-]*$")
