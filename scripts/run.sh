#!/usr/bin/env bash
# Shows the whole thing: builds, fills a data directory with a month of simulated devices over HTTP,
# prints reports and how to go on, and serves until Ctrl-C. A second run goes on with the same data.
set -euo pipefail
cd "$(dirname "$0")/.."

data=${SOJOURN_DATA:-./data}
listen=${SOJOURN_LISTEN:-127.0.0.1:8080}
# Where reports are asked, and the dashboard stands.
reports=${SOJOURN_REPORT_LISTEN:-off}
[ "$reports" != off ] || reports=$listen
admin=${SOJOURN_ADMIN_LISTEN:-127.0.0.1:9187}
devices=300 days=30
fail() { echo "sojourn: $*" >&2; exit 1; }

scripts/ensure-system.sh
echo "building (the first time takes some minutes)"
log=$(mktemp)
if ! swift build -c release --product sojourn >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "the build failed; the lines above say why"
fi
rm -f "$log"
sojourn=.build/release/sojourn
export SOJOURN_DATA=$data SOJOURN_LISTEN=$listen SOJOURN_ADMIN_LISTEN=$admin

# The app, its key and the tokens, unless they are there. The token for reports is kept beside the
# data, readable by its owner only: the server itself keeps no more than a hash.
mkdir -p -m 0700 "$data" 2>/dev/null && [ -w "$data" ] || fail "cannot write to $data; give SOJOURN_DATA a folder that you own"
[ -e "$data/sojourn.db" ] && "$sojourn" app list --json | grep -q '"app":"demo"' \
    || "$sojourn" app add demo --name Demo --time-zone Europe/Berlin --allow-plain
"$sojourn" key list --json | grep -q '"key":"demo-key"' \
    || "$sojourn" key add --app demo --profile aes128gcm --id demo-key --json >/dev/null
token_file() { echo "$data/demo-$1.token"; }
for scope in report ingest; do
    file=$(token_file "$scope")
    [ -s "$file" ] || (umask 077 && "$sojourn" token add --scope "$scope" --app demo --json \
        | sed -n 's/.*"token":"\([^"]*\)".*/\1/p' >"$file")
done

# Job control gives the server a process group of its own: once it is in the foreground, Ctrl-C reaches
# it alone, and what it ends with is what make ends with.
set -m
"$sojourn" serve &
server=$!
set +m
stop() { kill -TERM "$server" 2>/dev/null || true; }
trap 'stop; wait "$server" || true; exit 130' INT
trap 'stop; wait "$server" || true; exit 143' TERM

ready=no
for _ in $(seq 1 100); do
    kill -0 "$server" 2>/dev/null || { wait "$server" || exit $?; exit 1; }
    # Another server may answer there while ours finds its address or folder taken.
    if "$sojourn" healthcheck >/dev/null 2>&1; then
        sleep 0.2
        if kill -0 "$server" 2>/dev/null; then ready=yes; break; fi
    fi
    sleep 0.1
done
[ "$ready" = yes ] || { echo "sojourn: the server was not ready in 10 s" >&2; stop; exit 1; }

"$sojourn" simulate --app demo --devices $devices --days $days --url "http://$listen" || { stop; wait "$server" || true; exit 1; }
echo
"$sojourn" report active --app demo
echo
"$sojourn" report platforms --app demo
cat <<END

Go on with:
  curl -H "Authorization: Bearer $(cat "$(token_file report)")" "http://$reports/report/sessions?app=demo&format=table"
  curl -H "Authorization: Bearer $(cat "$(token_file report)")" "http://$reports/report"
  curl -H "Authorization: Bearer $(cat "$(token_file ingest)")" -H "Content-Type: application/json" \\
       -d '{"batch_id":"hello-'\$(date +%s)'","resource":{"app.installation.id":"my-phone"},"events":[{"name":"session.start","time":'\$(date +%s000)',"attributes":{"session.id":"s-1"}}]}' \\
       "http://$listen/v1/apps/demo/batches"

Serving at http://$listen until Ctrl-C.
END
[ "${SOJOURN_DASHBOARD:-on}" = off ] || cat <<END

The dashboard:
  http://$reports/#token=$(cat "$(token_file report)")
END
trap - INT TERM
status=0
if [ -t 0 ]; then
    set -m
    fg %1 >/dev/null || status=$?
else
    trap stop INT TERM
    wait "$server" || status=$?
    # A signal ends the wait, not the server: this one gets its exit code.
    [ "$status" -le 128 ] || { status=0; wait "$server" || status=$?; }
fi
exit "$status"
