"""Real engines on free ports of the loopback interface: Debian's ClickHouse 18.16, and today's where pip gives it (chdb)."""
import os
import subprocess
import sys
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "scripts", "cluster"))
from parts import Failure, Part, free_ports, install_package, write

USER, PASSWORD = "sojourn", "pass word+&=%"
CHDB = os.path.abspath(os.path.join(ROOT, ".build", "test-chdb"))

CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><users_config>{folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>268435456</mark_cache_size><timezone>America/New_York</timezone>
</yandex>
"""
USERS = f"""<?xml version="1.0"?>
<yandex>
  <profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
  <quotas><default></default></quotas>
  <users><{USER}>
    <password>{PASSWORD.replace("&", "&amp;")}</password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota>
  </{USER}></users>
</yandex>
"""


def answers(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ping", timeout=5) as answer:
            return answer.read() == b"Ok.\n"
    except OSError:
        return False


def debian(folder):
    """Debian's server."""
    install_package("clickhouse-server")
    http, tcp = free_ports(2)
    write(f"{folder}/config.xml", CONFIG.format(http=http, tcp=tcp, folder=folder))
    write(f"{folder}/users.xml", USERS, 0o600)
    for name in ("data", "tmp"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    line = ["/usr/sbin/clickhouse-server", f"--config-file={folder}/config.xml"]
    return http, Part("clickhouse-server", folder, line, lambda: answers(http))


def todays_python():
    """A Python with today's ClickHouse, which this installs; None where pip does not give it."""
    python = os.path.join(CHDB, "bin", "python")
    if not os.path.exists(python):
        made = subprocess.run([sys.executable, "-m", "venv", CHDB], capture_output=True).returncode == 0
        if not made:
            install_package("python3-venv")
            subprocess.run([sys.executable, "-m", "venv", CHDB], check=True)
    if subprocess.run([python, "-c", "import chdb"], capture_output=True).returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "chdb"], capture_output=True)
    if subprocess.run([python, "-c", "import chdb"], capture_output=True).returncode:
        return None
    return python


def today(folder):
    """Today's ClickHouse in a process of Python; None where pip does not give it."""
    if (python := todays_python()) is None:
        return None
    (http,) = free_ports(1)
    line = [python, os.path.join(HERE, "today.py"), f"{folder}/data", str(http), USER, PASSWORD]
    return http, Part("chdb", folder, line, lambda: answers(http))
