"""The same events in DuckDB, in as good a form for it as we know."""

import os

from .server import fail

# Names, systems and versions as enumerations, rows in the order of time. A device's first event is kept
# beside, as the server keeps it too: it is not looked for anew in each query.
LOAD = """
CREATE TEMP TABLE raw AS SELECT * FROM read_csv('{folder}/events.csv', header = true, delim = ',', quote = '"', columns = {{
    'batch': 'UINTEGER', 'idx': 'UTINYINT', 'device': 'UINTEGER', 'time': 'BIGINT', 'name': 'VARCHAR',
    'session': 'UINTEGER', 'os': 'VARCHAR', 'os_version': 'VARCHAR', 'version': 'VARCHAR',
    'model': 'VARCHAR', 'key': 'VARCHAR', 'text': 'VARCHAR', 'value': 'INTEGER', 'load': 'DOUBLE'}});
{enums}
CREATE TABLE e AS SELECT batch, idx, device, time, name::name_t AS name, session, os::os_t AS os,
    os_version::os_version_t AS os_version, version::version_t AS version, model::model_t AS model,
    key::key_t AS key, text, value, load FROM raw ORDER BY time;
CREATE TABLE devices AS SELECT device, min(time) AS first_time, arg_min(os, time) AS os,
    arg_min(os_version, time) AS os_version, arg_min(version, time) AS version,
    arg_min(model, time) AS model FROM e GROUP BY device ORDER BY device;
CREATE TABLE b AS SELECT * FROM read_csv('{folder}/batches.csv', header = true);
DROP TABLE raw;
CHECKPOINT;
"""
ENUM = (
    "CREATE TYPE {0}_t AS ENUM (SELECT DISTINCT {0} FROM raw WHERE {0} IS NOT NULL ORDER BY {0});"
)
ENUMERATED = ("name", "os", "os_version", "version", "model", "key")


def module():
    try:
        import duckdb
    except ImportError:
        fail(
            "Python has no duckdb here; `make bench-reports` installs it into an environment of its own"
        )
    return duckdb


def version():
    return module().__version__


def load(folder, path):
    """Reads the tables that `population` wrote, unless that was done before, and removes them."""
    if os.path.exists(path):
        return
    unfinished = path + ".new"
    if os.path.exists(unfinished):
        os.unlink(unfinished)
    connection = module().connect(unfinished)
    connection.execute(
        LOAD.format(folder=folder.replace("'", "''"), enums="\n".join(map(ENUM.format, ENUMERATED)))
    )
    connection.close()
    os.replace(unfinished, path)
    for name in ("events.csv", "batches.csv"):
        os.unlink(os.path.join(folder, name))


class Duck:
    """One connection, with as many threads as there are cores."""

    def __init__(self, path):
        self.connection = module().connect(path, read_only=True)
        self.threads = self.connection.execute("SELECT current_setting('threads')").fetchone()[0]

    def ask(self, sql):
        """Rows as dictionaries."""
        cursor = self.connection.execute(sql)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]

    def run(self, sql):
        self.connection.execute(sql)

    def close(self):
        self.connection.close()
