"""Everything that can be asked of a server's reports, made from the index of its reports, so that a new report or
parameter is asked too, or is said to be missing here."""
from urllib.parse import urlencode

# What depends on the moment of arrival, and so on the run, is not compared.
OF_ARRIVAL = ["quality", "rejects"]
OTHER_ZONES = ["America/St_Johns", "Asia/Kathmandu"]
FILTERS = ["os.name", "os.version", "service.version", "device.model.identifier"]
# Parameters that each question has, or that are asked in a way of their own.
COMMON = ["app", "from", "to", "format", "after", *FILTERS]
# What the simulated devices send.
STEPS = [["session.start", "content.view", "content.complete"],
         ["screen.view", "usage.counter"],
         ["session.start", "screen.view:app.screen.name=home", "session.end"]]
NEEDED = {"name": ["screen.view"], "of": ["app.screen.load_ms"], "dimension": FILTERS, "step": STEPS}
MORE = {"tz": OTHER_ZONES, "limit": ["1", "3"], "periods": ["0", "3"], "inactive": ["7"],
        "within": ["5m"], "name": [], "of": [], "by": ["app.screen.name", "os.name"],
        "dimension": FILTERS[1:], "step": STEPS[1:]}


class Unknown(Exception):
    """A parameter for which there are no values here."""


def pairs(name, value):
    return [(name, one) for one in value] if isinstance(value, list) else [(name, value)]


def path(report, *parameters):
    return f"/report/{report}?" + urlencode([pair for several in parameters for pair in several])


class Questions:
    """About one app, for days that are over."""

    def __init__(self, app, first, last, middle, known):
        """first, last, middle: dates, the whole range and a day in it.
        known: for each filter values that there are, the commonest first."""
        self.app, self.first, self.last, self.middle, self.known = app, first, last, middle, known

    def of(self, report):
        """Paths for a report of the index."""
        name = report["name"]
        have = {p["name"]: p for p in report["parameters"]}
        for parameter in have.values():
            if parameter["name"] not in (*COMMON, *MORE) and "choices" not in parameter:
                raise Unknown(f"{name} has a parameter {parameter['name']} that is not asked with")
        needed = [pair for parameter in have.values()
                  if parameter["required"] and parameter["name"] != "app"
                  for pair in pairs(parameter["name"], NEEDED[parameter["name"]][0])]
        whole = [("app", self.app), ("from", self.first), ("to", self.last), *needed]
        yield from self.formats(name, have, whole, ["csv", "table"])
        for more in self.variations(have):
            # A parameter that is given anew stands in the place of the one before.
            names = {key for key, _ in more}
            yield from self.formats(
                name, have, [pair for pair in whole if pair[0] not in names] + more, ["csv"])

    def formats(self, name, have, asked, formats):
        yield path(name, asked)
        for form in formats:
            if form in have.get("format", {}).get("choices", []):
                yield path(name, asked, [("format", form)])

    def variations(self, have):
        """What is asked for besides the plain question."""
        yield [("from", self.middle), ("to", self.middle)]
        for parameter in have.values():
            name = parameter["name"]
            if name in FILTERS:
                for value in [self.known[name][0], "unknown", self.known[name][:2]]:
                    yield pairs(name, value)
            elif name not in COMMON:
                values = MORE[name] if name in MORE else [
                    choice for choice in parameter["choices"] if choice != parameter["default"]]
                for value in values:
                    yield [*self.companions(name, have), *pairs(name, value)]
        if "os.name" in have:
            both = [("os.name", self.known["os.name"][0]), ("tz", OTHER_ZONES[1])]
            yield both + [("from", self.middle)]
            for name in ["interval", "cohort"]:
                if name in have:
                    yield both + [(name, "week")]
                    yield both + [(name, "month"), *([("limit", "2")] if "limit" in have else [])]

    @staticmethod
    def companions(name, have):
        """`by` goes with the name of an event."""
        return [("name", NEEDED["name"][0])] if name == "by" and "name" in have else []
