"""The figures of the headline from answers made by hand."""
from contract.figures import headline_figures
from contract.periods import add, days_from, period_of
from fixture.modules import ModuleCase

TODAY = "2026-11-23"
NAMES = {"first": "from", "last_before": "lastBefore", "is_open": "isOpen", "is_compared": "isCompared"}
RATIOS = ["stickiness", "retention_1", "retention_7", "retention_30"]


def answers_for(period):
    """Reports in which every day has other figures."""
    days = days_from(period.wide, period.to)
    place = {day: number for number, day in enumerate(days_from(add(period.wide, -60), period.to))}
    return {
        "active": {"rows": [{"date": day, "active": 100 + place[day], "active_7d": 300 + place[day],
                             "active_30d": 500 + place[day], "new": 3 + place[day] % 5,
                             "stickiness": round(0.2 + place[day] / 1000, 6)} for day in days]},
        "sessions": {"rows": [{"date": day, "sessions": 10 + place[day] % 7, "duration_p50": 9.0} for day in days]},
        "length": {"rows": [{"duration_p50": 42.5, "duration_p90": 172.0}]},
        "lengthBefore": {"rows": [{"duration_p50": 40.0, "duration_p90": 86.0}]},
        "return": {"rows": [{"cohort": day, "size": 10 + place[day] % 3,
                             **{f"p{k}": (place[day] + k) % 9 if add(day, k) <= period.today else None
                                for k in range(31)}}
                            for day in days_from(add(period.wide, -30), period.last)]},
    }


class HeadlineTests(ModuleCase):
    def figures(self, answers, text):
        period = {NAMES.get(name, name): value for name, value in vars(period_of(text, TODAY)).items()}
        return self.call("headline.js", "headlineFigures", [[answers, period]])[0]

    def test_figures_of_many_ranges(self):
        for text in ["1d", "2d", "7d", "28d", "91d", "2026-11-02..2026-11-08", "2026-11-01..2026-11-23", "536d"]:
            period = period_of(text, TODAY)
            answers = answers_for(period)
            found = self.figures(answers, text)
            answers["length_before"] = answers["lengthBefore"]
            for name, (now, before, change) in headline_figures(answers, period).items():
                self.assertSame(found[name]["now"], now, f"{text} {name}")
                self.assertSame(found[name]["before"], before, f"{text} {name} before")
                self.assertSame(found[name]["change"], change, f"{text} {name} change")
                self.assertIs(found[name]["isHidden"], False)

    def test_three_days_by_hand(self):
        """Today is in the rows and in no figure."""
        days = days_from("2026-11-18", TODAY)
        answers = answers_for(period_of("3d", TODAY))
        answers["active"]["rows"] = [
            {"date": day, "active": active, "active_7d": 2 * active, "active_30d": 4 * active, "new": new, "stickiness": 0.25}
            for day, active, new in zip(days, [10, 20, 30, 40, 60, 999], [1, 2, 3, 4, 6, 999])]
        answers["sessions"]["rows"] = [{"date": day, "sessions": n} for day, n in zip(days, [5, 5, 7, 8, 12, 999])]
        found = self.figures(answers, "3d")
        self.assertEqual({name: found[name]["now"] for name in ["active_1d", "active_7d", "new", "sessions", "duration_p50"]},
                         {"active_1d": 60, "active_7d": 120, "new": 10, "sessions": 20, "duration_p50": 42.5})
        self.assertEqual({name: found[name]["before"] for name in ["active_1d", "new", "sessions", "duration_p50"]},
                         {"active_1d": 20, "new": 3, "sessions": 10, "duration_p50": 40.0})
        self.assertEqual({name: found[name]["change"] for name in ["active_1d", "sessions", "duration_p50"]},
                         {"active_1d": 2, "sessions": 1, "duration_p50": 0.0625})

    def test_an_app_that_is_too_young_is_compared_with_nothing(self):
        for active_30d, is_compared in [(0, False), (1, True), (None, True)]:
            answers = answers_for(period_of("7d", TODAY))
            answers["active"]["rows"][0].update(active=0, active_30d=active_30d)
            found = self.figures(answers, "7d").values()
            self.assertEqual({one["before"] is not None for one in found}, {is_compared})
            self.assertEqual({one["change"] is not None for one in found}, {is_compared})
            self.assertNotIn(None, [one["now"] for one in found])

    def test_nothing_over_0_and_nothing_of_nothing(self):
        answers = answers_for(period_of("7d", TODAY))
        for row in answers["sessions"]["rows"]:
            if row["date"] < "2026-11-17":
                row["sessions"] = 0
        for row in answers["active"]["rows"]:
            row["stickiness"] = None
        answers["lengthBefore"]["rows"][0]["duration_p50"] = None
        for row in answers["return"]["rows"]:
            row.update(size=0, **{f"p{k}": 0 for k in range(31)})
        found = self.figures(answers, "7d")
        self.assertEqual((found["sessions"]["before"], found["sessions"]["change"]), (0, None))
        self.assertIsNone(found["duration_p50"]["change"])
        for name in RATIOS:
            self.assertEqual(found[name], {"now": None, "before": None, "change": None, "isHidden": False, "isHiddenBefore": False}, name)

    def test_what_is_hidden_makes_no_figure(self):
        answers = answers_for(period_of("7d", TODAY))
        answers["active"]["rows"][-2].update(active=None, stickiness=None, suppressed=True)
        answers["active"]["rows"][-4].update(new=None, suppressed=True)
        answers["return"]["rows"][-5].update(p1=None, suppressed=True)
        answers["return"]["rows"][-9].update({"size": None, "suppressed": True} | {f"p{k}": None for k in range(31)})
        found = self.figures(answers, "7d")
        for name in ["active_1d", "stickiness", "new", "retention_1", "retention_7"]:
            self.assertEqual((found[name]["now"], found[name]["change"], found[name]["isHidden"]), (None, None, True), name)
        for name in ["active_7d", "sessions"]:
            self.assertFalse(found[name]["isHidden"])
            self.assertIsNotNone(found[name]["change"])
