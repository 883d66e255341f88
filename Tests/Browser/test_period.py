"""The days of a range, and what they are compared with."""
from contract.periods import period_of
from fixture.modules import ModuleCase

TODAYS = ["2026-11-23", "2026-01-01", "2025-12-31", "2024-02-29", "2024-03-01", "2023-03-01", "2026-03-29", "2026-10-25",
          "2026-05-31", "2027-02-28"]
RANGES = ["1d", "2d", "7d", "14d", "15d", "28d", "91d", "120d", "121d", "364d", "534d", "535d", "536d", "1000d",
          "2026-11-02..2026-11-08", "2023-12-31..2024-03-01", "2024-02-29..2024-02-29", "2026-11-23..2026-11-23",
          "2025-12-01..2026-12-31", "2026-01-01..2026-01-31", "2030-01-01..2030-02-01", "2024-06-01..2025-11-17",
          "2024-06-01..2025-11-18"]
NAMES = {"first": "from", "last_before": "lastBefore", "is_open": "isOpen", "is_compared": "isCompared"}


class PeriodTests(ModuleCase):
    def test_periods_at_the_ends_of_months_and_years(self):
        cases = [(text, today) for text in RANGES for today in TODAYS]
        for (text, today), found in zip(cases, self.call("period.js", "periodOf", [list(one) for one in cases])):
            expected = {NAMES.get(name, name): value for name, value in vars(period_of(text, today)).items()}
            self.assertEqual(found, expected, f"{text} on {today}")

    def test_some_by_hand(self):
        table = [
            ("28d", "2026-11-23", {"from": "2026-10-27", "to": "2026-11-23", "last": "2026-11-22", "before": "2026-09-29",
                                   "lastBefore": "2026-10-25", "wide": "2026-09-29", "isOpen": True, "isCompared": True}),
            ("1d", "2026-11-23", {"from": "2026-11-23", "last": "2026-11-23", "isOpen": True, "isCompared": False}),
            ("2026-11-02..2026-11-08", "2026-11-23", {"last": "2026-11-08", "before": "2026-10-26",
                                                      "lastBefore": "2026-11-01", "isOpen": False, "isCompared": True}),
            ("535d", "2026-11-23", {"isCompared": True, "wide": "2023-12-20"}),
            ("536d", "2026-11-23", {"isCompared": False, "wide": "2025-06-06", "from": "2025-06-06"}),
            ("2026-11-20..2026-12-24", "2026-11-23", {"to": "2026-11-23", "days": 4, "isOpen": True, "last": "2026-11-22"}),
        ]
        found = self.call("period.js", "periodOf", [list(row[:2]) for row in table])
        for (text, today, expected), one in zip(table, found):
            self.assertEqual({name: one[name] for name in expected}, expected, f"{text} on {today}")

    def test_what_is_a_range(self):
        self.assertTable("period.js", "parseRange", [
            ("1d", {"days": 1}), ("1000d", {"days": 1000}),
            ("2024-02-29..2024-02-29", {"from": "2024-02-29", "to": "2024-02-29"}),
            ("2024-01-01..2026-09-26", {"from": "2024-01-01", "to": "2026-09-26"}),
            *[(text, None) for text in [
                "", "d", "0d", "01d", "1001d", "9999d", "-1d", "1.5d", "28", "28D", " 28d", "28d ", "1e2d", "٢٨d",
                "2024-01-01..2026-09-27", "2026-02-30..2026-03-01", "2026-03-02..2026-03-01", "2026-03-01..",
                "..2026-03-01", "2026-03-01...2026-03-02", "2026-03-01..2026-03-02..2026-03-03", "2026-03-01", ".."]]])

    def test_cohorts_follow_the_range(self):
        for days, bucket in [(1, "day"), (14, "day"), (15, "week"), (120, "week"), (121, "month"), (1000, "month")]:
            self.assertTable("period.js", "cohortOf", [({"cohort": None}, {"days": days}, bucket),
                                                       ({"cohort": "week"}, {"days": days}, "week")])
