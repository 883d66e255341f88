# For the chapters of try-systemd.sh: what they share.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
cd /root
# A person starts it not as often in ten seconds as these chapters do.
systemctl reset-failed
say() { echo "# $*"; eval "$*"; }
fail() { echo "FAILED: $*" >&2; systemctl --no-pager --lines=20 status sojourn.service >&2 || true; exit 1; }
as_sojourn() { runuser -u sojourn -- "$@"; }
# Waits for a command to succeed.
await() {
    local tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || fail "in vain: $*"
        sleep 0.1
    done
}
batch() {
    printf '{"batch_id": "%s", "resource": {"app.installation.id": "my-phone", "os.name": "iOS"}, "events": [{"name": "session.start", "time": %s000, "attributes": {"session.id": "%s"}}]}' \
        "$1" "$(date +%s)" "$1"
}
post() {
    curl --silent --output /dev/null --write-out '%{http_code}\n' --max-time 30 \
        --header "Authorization: Bearer $(cat ingest.token)" --header 'Content-Type: application/json' \
        --data "$(batch "$1")" http://127.0.0.1:8080/v1/apps/shop/batches
}
report() { sojourn report quality --app shop --format csv "$@"; }
