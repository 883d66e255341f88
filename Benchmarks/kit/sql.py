"""Each report as a query of the tables in `duck`; columns have the report's names.

The definitions are those of docs/reports.md. Devices' events have distinct times here, and no device is
shared, so that ties and exceptions need no SQL.
"""

from .frame import bucket, date_text

TIMEOUT = 30 * 60 * 1000
RESOURCE = ("os", "os_version", "version", "model")


def _days(f):
    return f"days AS (SELECT range AS d FROM range({f.first_day}, {f.last_day + 1}))"


def _buckets(f, interval):
    return (
        f"buckets AS (SELECT DISTINCT {bucket('range', interval)} AS d"
        f" FROM range({f.first_day}, {f.last_day + 1}))"
    )


def _sessions(f):
    """
    `s`: the sessions that started in the frame, whole; a filter looks at their first event. An app that is `away` is in
    the background.
    """
    first = ", ".join(f"arg_min({name}, time) AS {name}" for name in RESOURCE)
    return f"""
        k AS (SELECT device, session FROM e GROUP BY ALL HAVING {f.within("min(time)")}),
        w AS (SELECT device, session, time, name, {", ".join(RESOURCE)},
                lead(time) OVER of_session - time AS gap,
                coalesce(last_value(CASE WHEN name IN ('session.start', 'session.resume', 'session.end')
                    THEN name = 'session.end' END IGNORE NULLS) OVER of_session, false) AS away
            FROM e SEMI JOIN k USING (device, session)
            WINDOW of_session AS (PARTITION BY device, session ORDER BY time)),
        every AS (SELECT device, session, min(time) AS start,
                coalesce(sum(gap) FILTER (NOT away AND gap <= {TIMEOUT}), 0) AS duration,
                arg_max(away, time) AS closed, {first}
            FROM w GROUP BY device, session),
        s AS (SELECT * FROM every WHERE {f.keep})"""


def active(f, interval="day"):
    if interval != "day":
        own = bucket(f.day(), interval)
        return f"""
            WITH {_buckets(f, interval)},
            da AS (SELECT DISTINCT device, {own} AS d FROM e WHERE {f.within()} AND {f.keep}),
            c AS (SELECT da.d, count(*) AS active,
                    count(*) FILTER ({f.within("first_time")} AND {bucket(f.day("first_time"), interval)} = da.d) AS new
                FROM da JOIN devices USING (device) GROUP BY da.d)
            SELECT {date_text("d")} AS date, coalesce(active, 0) AS active, coalesce(new, 0) AS new
            FROM buckets LEFT JOIN c USING (d) ORDER BY d"""

    # A device's day covers the 7 (30) days from it on, or those until its next one: a sum of steps.
    def window(n):
        return f"""(SELECT x, sum(sum(step)) OVER (ORDER BY x) AS c FROM (
            SELECT d AS x, 1 AS step FROM n UNION ALL SELECT least(d + {n}, later), -1 FROM n
            UNION ALL SELECT d, 0 FROM days) GROUP BY x)"""

    return f"""
        WITH {_days(f)},
        da AS (SELECT DISTINCT device, {f.day()} AS d FROM e
            WHERE time >= {f.start(29)} AND time < {f.end} AND {f.keep}),
        n AS (SELECT d, coalesce(lead(d) OVER (PARTITION BY device ORDER BY d), 1000000) AS later FROM da),
        c AS (SELECT da.d, count(*) AS active, count(*) FILTER ({f.day("first_time")} = da.d) AS new
            FROM da JOIN devices USING (device) GROUP BY da.d),
        w7 AS {window(7)}, w30 AS {window(30)}
        SELECT {date_text("days.d")} AS date, coalesce(active, 0) AS active, w7.c AS active_7d,
            w30.c AS active_30d, coalesce(new, 0) AS new, coalesce(active, 0) / nullif(w30.c, 0) AS stickiness
        FROM days LEFT JOIN c ON c.d = days.d JOIN w7 ON w7.x = days.d JOIN w30 ON w30.x = days.d
        ORDER BY days.d"""


def sessions(f, interval="day"):
    return f"""
        WITH {_buckets(f, interval)}, {_sessions(f)},
        c AS (SELECT {bucket(f.day("start"), interval)} AS d, count(*) AS sessions,
                count(DISTINCT device) AS devices, avg(duration) / 1000 AS mean,
                quantile_disc(duration, [0.5, 0.9, 0.95]) AS q, sum(duration) / 1000 AS total,
                count(*) FILTER (closed) AS closed
            FROM s GROUP BY 1)
        SELECT {date_text("d")} AS date, coalesce(sessions, 0) AS sessions, coalesce(devices, 0) AS devices,
            sessions / devices AS sessions_per_device, mean AS duration_mean, q[1] / 1000 AS duration_p50,
            q[2] / 1000 AS duration_p90, q[3] / 1000 AS duration_p95, coalesce(total, 0) AS total_duration,
            coalesce(closed, 0) AS closed, coalesce(sessions - closed, 0) AS inferred, 0 AS open
        FROM buckets LEFT JOIN c USING (d) ORDER BY d"""


def retention(f, cohort="day", periods=14):
    place = {"day": "{0}", "week": "(({0} + 3) // 7)"}[cohort]
    first, later = (place.format(f.day(column)) for column in ("first_time", "time"))
    start = {"day": "{0}", "week": "({0} * 7 - 3)"}[cohort].format("d")
    today = {"day": f.today(), "week": (f.today() + 3) // 7}[cohort]
    columns = ", ".join(
        f"CASE WHEN d + {p} > {today} THEN NULL ELSE coalesce(sum(n) FILTER (p = {p}), 0) END AS p{p}"
        for p in range(periods + 1)
    )
    return f"""
        WITH {_days(f)}, cohorts AS (SELECT DISTINCT {place.format("d")} AS d FROM days),
        c AS (SELECT device, {first} AS d FROM devices WHERE {f.within("first_time")} AND {f.keep}),
        a AS (SELECT DISTINCT device, {later} AS d FROM e WHERE time >= {f.start()}),
        r AS (SELECT c.d, a.d - c.d AS p, count(*) AS n FROM c JOIN a USING (device)
            WHERE a.d - c.d <= {periods} GROUP BY ALL),
        sizes AS (SELECT d, count(*) AS size FROM c GROUP BY d)
        SELECT {date_text(start)} AS cohort, coalesce(any_value(size), 0) AS size, {columns}
        FROM cohorts LEFT JOIN sizes USING (d) LEFT JOIN r USING (d) GROUP BY d ORDER BY d"""


def events(f, interval=None):
    if interval is None:
        return f"""
            SELECT name::VARCHAR AS name, count(*) AS events, count(DISTINCT device) AS devices
            FROM e WHERE {f.within()} AND {f.keep} GROUP BY name ORDER BY events DESC, name LIMIT 100"""
    return f"""
        SELECT {date_text(bucket(f.day(), interval))} AS date, name::VARCHAR AS name, count(*) AS events,
            count(DISTINCT device) AS devices
        FROM e WHERE {f.within()} AND {f.keep} GROUP BY ALL ORDER BY date, events DESC, name"""


def events_by(f, name):
    return f"""
        SELECT text AS value, count(*) AS events, count(DISTINCT device) AS devices
        FROM e WHERE {f.within()} AND {f.keep} AND name = '{name}'
        GROUP BY text ORDER BY events DESC, value LIMIT 100"""


def counters(f, interval=None):
    date = f"{date_text(bucket(f.day(), interval))} AS date," if interval else ""
    return f"""
        SELECT {date} text AS counter, sum(value) AS total, count(*) AS increments,
            count(DISTINCT device) AS devices
        FROM e WHERE {f.within()} AND {f.keep} AND name = 'usage.counter'
        GROUP BY ALL ORDER BY total DESC, counter"""


def platforms(f):
    return f"""
        WITH {_sessions(f)},
        d AS (SELECT os, count(DISTINCT device) AS devices FROM e WHERE {f.within()} AND {f.keep} GROUP BY os),
        u AS (SELECT os, count(*) AS sessions, sum(duration) AS duration FROM s GROUP BY os),
        r AS (SELECT os::VARCHAR AS os, devices, devices / sum(devices) OVER () AS device_share, sessions,
                duration / 1000 AS duration, duration / sum(duration) OVER () AS usage_share
            FROM d JOIN u USING (os))
        SELECT os AS "os.name", devices, device_share, sessions, duration, usage_share,
            usage_share / device_share AS engagement_index, sessions / devices AS sessions_per_device
        FROM r ORDER BY devices DESC, os"""


def versions(f, column, interval=None):
    """Latest events and sessions by bucket; without one all days are the same."""

    def own(time):
        return bucket(f.day(time), interval) if interval else "0"

    date = f"{date_text('d')} AS date," if interval else ""
    return f"""
        WITH {_sessions(f)},
        l AS (SELECT device, {own("time")} AS d, arg_max({column}, time) AS v
            FROM e WHERE {f.within()} AND {f.keep} GROUP BY ALL),
        n AS (SELECT d, v, count(*) AS devices,
                count(*) FILTER ({f.within("first_time")} AND {own("first_time")} = d) AS new
            FROM l JOIN devices USING (device) GROUP BY d, v),
        u AS (SELECT {own("start")} AS d, {column} AS v, count(*) AS sessions FROM s GROUP BY ALL)
        SELECT {date} v::VARCHAR AS value, coalesce(devices, 0) AS devices,
            coalesce(devices, 0) / sum(devices) OVER (PARTITION BY d) AS share,
            coalesce(sessions, 0) AS sessions, coalesce(new, 0) AS new
        FROM n FULL JOIN u USING (d, v) ORDER BY d, devices DESC, value"""


def values(f, name, by=None, interval=None):
    date = f"{date_text(bucket(f.day(), interval))} AS date," if interval else ""
    value = f"{by}::VARCHAR AS value," if by else ""
    ranks = ", ".join(f"q[{index}] AS {p}" for index, p in enumerate(("p50", "p90", "p95", "p99"), 1))
    return f"""
        SELECT * EXCLUDE (q), {ranks} FROM (
            SELECT {date} {value} count(*) AS count, count(DISTINCT device) AS devices,
                fsum(load) AS sum, fsum(load) / count(*) AS mean, min(load) AS min,
                quantile_disc(load, [0.5, 0.9, 0.95, 0.99]) AS q, max(load) AS max
            FROM e WHERE {f.within()} AND {f.keep} AND name = '{name}' AND load IS NOT NULL
            GROUP BY ALL ORDER BY ALL)"""


def hours(f):
    return f"""
        WITH h AS (SELECT range AS h FROM range(168)), {_sessions(f)},
        c AS (SELECT {f.hour()} AS h, count(*) AS events, count(DISTINCT device) AS devices
            FROM e WHERE {f.within()} AND {f.keep} GROUP BY 1),
        u AS (SELECT {f.hour("start")} AS h, count(*) AS sessions FROM s GROUP BY 1)
        SELECT h // 24 + 1 AS weekday, h % 24 AS hour, coalesce(events, 0) AS events,
            coalesce(devices, 0) AS devices, coalesce(sessions, 0) AS sessions
        FROM h LEFT JOIN c USING (h) LEFT JOIN u USING (h) ORDER BY h"""


def lengths(f):
    edges = [0, 3, 10, 30, 60, 180, 600, 1800, 3600]
    rows = ", ".join(f"({low}, {high})" for low, high in zip(edges, [*edges[1:], "NULL"]))
    return f"""
        WITH {_sessions(f)}, r(at_least, below) AS (VALUES {rows}),
        c AS (SELECT at_least, count(*) AS sessions, count(DISTINCT device) AS devices
            FROM s JOIN r ON duration >= at_least * 1000 AND (below IS NULL OR duration < below * 1000)
            GROUP BY 1)
        SELECT at_least, below, coalesce(sessions, 0) AS sessions,
            coalesce(sessions, 0) / sum(sessions) OVER () AS share, coalesce(devices, 0) AS devices
        FROM r LEFT JOIN c USING (at_least) ORDER BY at_least"""


def funnel(f, steps, within):
    """From each first step the earliest second one, from that the earliest third: none does better."""
    parts, last = [], "c1"
    for number, (name, text) in enumerate(steps, 1):
        condition = f"name = '{name}'" + (f" AND text = '{text}'" if text else "")
        parts.append(
            f"s{number} AS (SELECT device, time AS t{number} FROM e"
            f" WHERE {f.within()} AND {f.keep} AND {condition})"
        )
    parts.append("c1 AS (SELECT * FROM s1)")
    for number in range(2, len(steps) + 1):
        parts.append(
            f"c{number} AS (SELECT {last}.*, t{number} FROM {last} ASOF LEFT JOIN s{number}"
            f" ON {last}.device = s{number}.device AND {last}.t{number - 1} <= s{number}.t{number})"
        )
        last = f"c{number}"
    counts = ", ".join(
        f"count(DISTINCT device) FILTER (t{n} - t1 <= {within}) AS d{n}"
        for n in range(1, len(steps) + 1)
    )
    rows = " UNION ALL ".join(
        f"SELECT {n} AS step, d{n} AS devices, d{n} / d1 AS from_first FROM t"
        for n in range(1, len(steps) + 1)
    )
    return f"WITH {', '.join(parts)}, t AS (SELECT {counts} FROM {last}) {rows} ORDER BY step"


def content(f):
    return f"""
        WITH f AS (SELECT device, text, min(time) AS t, {", ".join(f"arg_min({n}, time) AS {n}" for n in RESOURCE)}
            FROM e WHERE name = 'content.complete' GROUP BY device, text),
        g AS (SELECT text, count(*) AS credited FROM f WHERE {f.within("t")} AND {f.keep} GROUP BY text),
        c AS (SELECT text, count(*) FILTER (name = 'content.view') AS views,
                count(DISTINCT device) FILTER (name = 'content.view') AS viewers,
                count(*) FILTER (name = 'content.complete') AS completions,
                count(DISTINCT device) FILTER (name = 'content.complete') AS completers
            FROM e WHERE {f.within()} AND {f.keep} AND name IN ('content.view', 'content.complete') GROUP BY text)
        SELECT text AS content, views, viewers, completions, completers,
            completers / nullif(viewers, 0) AS completion_rate, coalesce(credited, 0) AS credited
        FROM c LEFT JOIN g USING (text) ORDER BY viewers DESC, content LIMIT 100"""


def videos(f):
    return f"""
        WITH p AS (SELECT device, text, time, name, {", ".join(RESOURCE)}, lead(name) OVER w AS then_name,
                lead(time) OVER w - time AS took
            FROM e WHERE name IN ('video.enter_fullscreen', 'video.exit_fullscreen')
            WINDOW w AS (PARTITION BY device, text ORDER BY time))
        SELECT text AS video, count(*) AS enters, count(DISTINCT device) AS devices,
            coalesce(sum(took) FILTER (then_name = 'video.exit_fullscreen'), 0) / 1000 AS fullscreen_total,
            quantile_disc(took, 0.5) FILTER (then_name = 'video.exit_fullscreen') / 1000 AS fullscreen_p50
        FROM p WHERE name = 'video.enter_fullscreen' AND {f.within()} AND {f.keep}
        GROUP BY text ORDER BY enters DESC, video LIMIT 100"""


def lifetime(f, inactive=28):
    return f"""
        WITH c AS (SELECT device, {f.day("first_time")} AS d FROM devices
            WHERE {f.within("first_time")} AND {f.keep}),
        m AS (SELECT device, {f.day("max(time)")} AS last FROM e
            WHERE time >= {f.start()} AND time < {f.end} GROUP BY device),
        l AS (SELECT last - d + 1 AS t, last <= {f.last_day - inactive} AS is_lost FROM c JOIN m USING (device)),
        n AS (SELECT t, count(*) AS devices, count(*) FILTER (is_lost) AS lost FROM l GROUP BY t),
        r AS (SELECT range AS t, coalesce(devices, 0) AS devices, coalesce(lost, 0) AS lost
            FROM range(1, (SELECT max(t) + 1 FROM n)) LEFT JOIN n ON n.t = range),
        k AS (SELECT t, lost, sum(devices) OVER (ORDER BY t DESC) AS at_risk FROM r)
        SELECT t AS day, at_risk, lost, product(1 - lost / at_risk) OVER (ORDER BY t) AS survival
        FROM k ORDER BY t"""


def quality(f):
    """The server alone knows when each batch came: here all of them came at the frame's end."""
    return f"""
        WITH h AS (SELECT sequence - lag(sequence) OVER (PARTITION BY device ORDER BY sequence) - 1 AS hole FROM b),
        l AS (SELECT quantile_disc({f.end} - time, [0.5, 0.95]) AS late FROM e)
        SELECT count(*) AS batches, 0 AS duplicates, sum(accepted) AS events, sum(rejected) AS rejected,
            (SELECT sum(hole) FROM h WHERE hole <= 9999) AS missing_batches, sum(dropped) AS dropped_events,
            (SELECT late[1] FROM l) AS late_if_all_came_last_p50, (SELECT late[2] FROM l) AS late_if_all_came_last_p95
        FROM b"""


def rejects(_frame):
    return "SELECT 0 AS batches, sum(rejected) AS events FROM b"
