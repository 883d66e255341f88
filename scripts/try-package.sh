#!/usr/bin/env bash
# Installs the package of `make package` in a clean Debian 12, posts a batch, asks for a report, removes
# the package and purges it. Prints each command with what it said (docs/guide.md shows it) and fails
# where something is not as it should be. Needs root and debootstrap; MIRROR is where Debian comes from.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "try-package: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "a root directory of its own needs root; run it with sudo"
command -v debootstrap >/dev/null 2>&1 || fail "debootstrap is missing; on Debian: apt-get install debootstrap"
package=$(ls -t .build/sojourn_*.deb 2>/dev/null | head -1)
[ -n "$package" ] || fail "there is no package; make it with: make package"

mirror=${MIRROR:-http://deb.debian.org/debian}
clean=.build/clean-root root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
if [ ! -e $clean/.done ]; then
    rm -rf $clean
    debootstrap --variant=minbase bookworm $clean "$mirror" >.build/debootstrap.log 2>&1 \
        || { tail -3 .build/debootstrap.log >&2; fail "debootstrap failed; .build/debootstrap.log says why"; }
    touch $clean/.done
fi
cp -a $clean/. "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$package" "$root/root/sojourn.deb"
cat >"$root/root/try.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
cd /root
say() { echo "# $*"; eval "$*"; }
apt-get update -q >/dev/null
say "apt-get install -y ./sojourn.deb" 2>&1 | grep -E '^# |^Setting up sojourn' || exit 1
say "ls -ld /var/lib/sojourn | cut -d' ' -f1-4"
# Every page and example that a page names is there.
cd /usr/share/doc/sojourn
for page in ./*.md decisions/*.md; do
    sed 's/](/\n](/g' "$page" | sed -n 's/^](\([^):#]*\)[)#].*/\1/p' | sed "/./s,^,$(dirname "$page")/,"
done >/root/named
grep -oh 'examples/[a-zA-Z./]*[a-zA-Z/]' ./*.md >>/root/named
grep -q '^./guide.md$' /root/named && grep -q '^examples/prometheus/$' /root/named || { echo "the pages name nothing"; exit 1; }
sort -u /root/named | while read -r path; do [ -z "$path" ] || [ -e "$path" ] || { echo "there is no $path"; exit 1; }; done
cd /root
say "sojourn check-config | grep '^data '"
say "runuser -u sojourn -- sojourn app add shop --time-zone Europe/Paris"
runuser -u sojourn -- sojourn key add --app shop --profile aes128gcm --id phone --json \
    | sed 's/.*"secret":"\([^"]*\)".*/\1/' >phone.secret
runuser -u sojourn -- sojourn serve 2>/tmp/serve.log &
tries=0
until sojourn healthcheck >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { cat /tmp/serve.log; exit 1; }
    sleep 0.1
done
say "sojourn healthcheck"
cat >batch.json <<JSON
{"batch_id": "hello-1", "resource": {"app.installation.id": "my-phone", "os.name": "iOS"},
 "events": [{"name": "session.start", "time": $(date +%s000), "attributes": {"session.id": "s-1"}}]}
JSON
say "sojourn send batch.json --app shop --key phone --secret-file phone.secret"
say "sojourn report platforms --app shop --format csv"
for process in /proc/[0-9]*; do
    [ "$(cat "$process/comm" 2>/dev/null)" != sojourn ] || kill "${process#/proc/}"
done
wait
say "apt-get remove -y sojourn >/dev/null 2>&1"
[ ! -e /usr/bin/sojourn ] && say "ls /var/lib/sojourn"
say "apt-get install -y ./sojourn.deb >/dev/null 2>&1"
say "runuser -u sojourn -- sojourn app list"
sojourn app list | grep -q '^shop ' || exit 1
say "apt-get purge -y sojourn >/dev/null 2>&1"
for path in /var/lib/sojourn /etc/sojourn /usr/bin/sojourn /usr/lib/systemd/system/sojourn.service; do
    [ ! -e $path ] || { echo "$path is still there"; exit 1; }
done
END
# A process namespace of its own: nothing that was started there outlives it.
unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" sh /root/try.sh
echo "installed, used, removed, purged"
