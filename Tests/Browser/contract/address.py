"""A view as a fragment, in its canonical order. A view is {app, range, tz, filters: [(key, value)], cohort, dimension, steps, within}."""
from urllib.parse import urlencode

FILTERS = ["os.name", "os.version", "service.version", "device.model.identifier"]
DEFAULTS = {"range": "28d", "dimension": "service.version", "within": "24h"}


def format_address(view):
    def single(name):
        value = view.get(name)
        return [] if value in (None, DEFAULTS.get(name)) else [(name, value)]

    pairs = [*single("app"), *single("range"), *single("tz")]
    for key in FILTERS:
        pairs += [pair for pair in view.get("filters", ()) if pair[0] == key]
    pairs += [*single("cohort"), *single("dimension")]
    pairs += [("step", step) for step in view.get("steps", ())]
    return urlencode(pairs + single("within"))
