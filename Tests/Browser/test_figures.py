"""Numbers and times as people read them."""
import re

from fixture.modules import ModuleCase

GAP = "\u00a0"
SECONDS = [*[number / 4 for number in range(500)], *[60 * number + part for number in range(1, 200)
           for part in [-0.6, -0.5, -0.4, 0, 0.4, 29.5]], *[3600 * number + part for number in range(1, 80)
           for part in [-61, -31, -30, -29, -0.5, 0, 29, 30, 1800]], 86399.6, 172769, 172770, 172799.9, 8640000]


class FigureTests(ModuleCase):
    language = "en-GB"

    def test_counts_are_grouped_and_ratios_are_percent(self):
        self.assertTable("figures.js", "count", [(0, "0"), (999, "999"), (16701, "16,701"), (9007199254740991, "9,007,199,254,740,991"), (None, "–")])
        self.assertTable("figures.js", "percent", [(0, "0.0%"), (0.529, "52.9%"), (0.00049, "0.0%"), (1, "100.0%"), (12.5, "1,250.0%"), (None, "–")])
        self.assertTable("figures.js", "index", [(1.174, "1.17×"), (1, "1.00×"), (None, "–")])
        self.assertTable("figures.js", "decimal", [(2.545, "2.55"), (2, "2.00"), (None, "–")])
        self.assertTable("figures.js", "relativeChange", [(0.015, "+1.5%"), (-0.2, "-20.0%"), (0, "0.0%"), (0.0001, "0.0%"), (None, "–")])
        self.assertTable("figures.js", "points", [(0.011, "+1.1" + GAP + "pp"), (-0.25, "-25.0" + GAP + "pp"), (0, "0.0" + GAP + "pp")])

    def test_times(self):
        self.assertTable("figures.js", "duration", [(seconds, text.replace("_", GAP)) for seconds, text in [
            (0, "0_s"), (0.04, "0_s"), (2.5, "2.5_s"), (9.94, "9.9_s"), (9.96, "10_s"), (42, "42_s"), (59.4, "59_s"),
            (59.5, "1_min"), (60, "1_min"), (172, "2_min 52_s"), (3599.4, "59_min 59_s"), (3599.5, "1_h"), (11100, "3_h 5_min"),
            (86400, "24_h"), (172769, "47_h 59_min"), (172770, "2_d"), (1036800, "12_d"), (-42, "-42_s"), (-11100, "-3_h 5_min"),
        ]] + [(None, "–")])

    def test_no_part_of_a_time_reaches_the_next_unit(self):
        for seconds, text in zip(SECONDS, self.call("figures.js", "duration", [[one] for one in SECONDS])):
            parts = {unit: float(number) for number, unit in re.findall(r"([\d.]+)\s(s|min|h|d)", text)}
            self.assertLess(parts.get("s", 0), 60, f"{seconds}: {text}")
            self.assertLess(parts.get("min", 0), 60, f"{seconds}: {text}")
            self.assertLess(parts.get("h", 0), 48, f"{seconds}: {text}")
            said = sum(parts.get(unit, 0) * length for unit, length in [("s", 1), ("min", 60), ("h", 3600), ("d", 86400)])
            room = 43231 if "d" in parts else 31 if "h" in parts else 0.51
            self.assertAlmostEqual(said, seconds, delta=room, msg=text)

    def test_dates_are_those_of_the_report_wherever_the_browser_is(self):
        self.assertTable("figures.js", "longDate", [("2026-11-02", "2 Nov 2026"), ("2024-02-29", "29 Feb 2024")])
        self.assertTable("figures.js", "weekdayDate", [("2026-11-02", "Mon, 2 Nov 2026")])
        today = "2026-11-23"
        ranges = [("2025-12-30", "2026-01-02", today), ("2025-03-01", "2025-04-01", today), ("2026-10-27", today, today)]
        texts = [re.sub(r"\s", " ", text) for text in self.call("figures.js", "dateRange", ranges)]
        self.assertEqual(texts, ["30 Dec 2025 – 2 Jan 2026", "1 Mar – 1 Apr 2025", "27 Oct – 23 Nov"])


class GermanFigureTests(ModuleCase):
    language = "de-DE"

    def test_counts_percents_and_times(self):
        self.assertTable("figures.js", "count", [(16701, "16.701"), (None, "–")])
        self.assertTable("figures.js", "percent", [(0.529, "52,9" + GAP + "%")])
        self.assertTable("figures.js", "index", [(1.174, "1,17×")])
        self.assertTable("figures.js", "duration", [(2.5, f"2,5{GAP}s"), (172, f"2{GAP}min 52{GAP}s")])
        self.assertTable("figures.js", "longDate", [("2026-11-02", "2. Nov. 2026")])
