#!/usr/bin/env bash
# Installs the package of `make package` in a Debian 12 that systemd has booted (systemd-nspawn), and
# goes through the chapters of docs/guide.md that need one: service, nightly copy, listening sockets
# held over restarts and failures, the master key as a credential, upgrade, moving house, purge. Prints each command
# with what it said and fails where something is not as it should be. Needs root, debootstrap and
# systemd-nspawn (Debian's systemd-container); MIRROR is where Debian comes from.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "try-systemd: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "a machine of its own needs root; run it with sudo"
for tool in debootstrap:debootstrap systemd-nspawn:systemd-container nsenter:util-linux; do
    command -v "${tool%:*}" >/dev/null 2>&1 || fail "${tool%:*} is missing; on Debian: apt-get install ${tool#*:}"
done
package=$(ls -t .build/sojourn_*.deb 2>/dev/null | head -1)
[ -n "$package" ] || fail "there is no package; make it with: make package"

mirror=${MIRROR:-http://deb.debian.org/debian}
clean=.build/systemd-root
work=$(mktemp -d)
machine=0 leader=0
end() {
    [ "$leader" -eq 0 ] || nsenter --target "$leader" --all systemctl poweroff >/dev/null 2>&1 || true
    [ "$machine" -eq 0 ] || { kill "$machine" 2>/dev/null || true; wait "$machine" || true; }
    machine=0 leader=0
}
trap 'end; rm -rf "$work"' EXIT

# With all that the package depends on: the machine itself gets no network.
if [ ! -e $clean/.done ]; then
    rm -rf $clean
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,curl,rsync bookworm $clean "$mirror" \
        >.build/debootstrap.log 2>&1 || { tail -3 .build/debootstrap.log >&2; fail "debootstrap failed; .build/debootstrap.log says why"; }
    cp /etc/resolv.conf $clean/etc/resolv.conf
    dpkg-deb --field "$package" Depends | tr ',' '\n' | sed 's/([^)]*)//; s/|.*//' \
        | xargs chroot $clean apt-get install -y -q --no-install-recommends >>.build/debootstrap.log 2>&1 \
        || fail "cannot install what the package depends on; .build/debootstrap.log says why"
    touch $clean/.done
fi

# The same package as its own successor.
dpkg-deb --raw-extract "$package" "$work/next"
sed -i 's/^Version: .*/&+next/' "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group --build "$work/next" "$work/sojourn_NEW.deb" >/dev/null

# Boots the root $1, with more options for systemd-nspawn behind it.
boot() {
    local root=$1; shift
    # cgroups of one version, whatever the machine has, in a mount namespace of its own.
    unshare --mount sh -c 'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' sh \
        systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --private-network \
        --console=pipe "$@" --boot </dev/null >"$root.log" 2>&1 &
    machine=$!
    local tries=0
    until leader=$(cat "/proc/$machine/task/$machine/children" 2>/dev/null) && leader=${leader%% *} \
        && [ -n "$leader" ] && nsenter --target "$leader" --all systemctl is-active --quiet multi-user.target 2>/dev/null; do
        tries=$((tries + 1)); leader=${leader:-0}
        kill -0 "$machine" 2>/dev/null && [ $tries -lt 600 ] || { tail -5 "$root.log" >&2; fail "systemd does not boot here"; }
        sleep 0.1
    done
}
inside() { nsenter --target "$leader" --all --root --wd env -i PATH="$PATH" LC_ALL=C HOME=/root bash "$1"; }

for name in old new; do
    cp -a $clean "$work/$name"
    cp "$package" "$work/$name/root/sojourn.deb"
    cp "$work/sojourn_NEW.deb" "$work/$name/root/"
    cp scripts/try-systemd/* "$work/$name/root/"
done
# Another machine has other numbers for its users.
chroot "$work/new" useradd --system someone

boot "$work/old"
for chapter in service backup sockets failing credential upgrade leave; do
    echo "== $chapter"
    inside /root/$chapter.sh || fail "chapter $chapter failed"
done
end
boot "$work/new" --bind-ro="$work/old:/old"
for chapter in arrive purge; do
    echo "== $chapter"
    inside /root/$chapter.sh || fail "chapter $chapter failed"
done
end
echo "installed, backed up, restarted, upgraded, moved, purged"
