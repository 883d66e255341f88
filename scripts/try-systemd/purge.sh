. /root/common.sh
units="sojourn.service sojourn.socket sojourn-backup.timer"
all_run() {
    await sojourn healthcheck
    for unit in $units; do systemctl is-active --quiet $unit || fail "$unit does not run: $1"; done
    [ "$(post "$1")" = 200 ] || fail "a batch is not accepted: $1"
}
script() { DPKG_MAINTSCRIPT_PACKAGE=sojourn /var/lib/dpkg/info/sojourn.$*; }

systemctl stop sojourn.service
systemctl enable --now --quiet sojourn.socket sojourn-backup.timer
systemctl start sojourn.service
say "apt-get remove -y sojourn >/dev/null 2>&1"
for unit in $units; do systemctl is-active --quiet $unit && fail "$unit still runs"; done
say "ls /var/lib/sojourn"

# What was enabled comes back with the package, and when dpkg takes a removal back.
apt-get install -y --no-install-recommends ./sojourn.deb >/dev/null 2>&1
all_run installed-again
script prerm remove
script postinst abort-remove
all_run removal-taken-back
before=$(systemctl show --property=MainPID --value sojourn.service)
script prerm deconfigure in-favour other 1.0
script postinst abort-deconfigure in-favour other 1.0
all_run deconfiguration-taken-back
[ "$(systemctl show --property=MainPID --value sojourn.service)" = "$before" ] || fail "it was restarted for nothing"

# A file system of its own is emptied, and stays.
systemctl stop $units
mount --bind /var/lib/sojourn /var/lib/sojourn
say "apt-get purge -y sojourn >/dev/null 2>&1"
[ -z "$(ls -A /var/lib/sojourn)" ] || fail "there is still something in /var/lib/sojourn"
umount /var/lib/sojourn
rmdir /var/lib/sojourn

apt-get install -y --no-install-recommends ./sojourn.deb >/dev/null 2>&1
await sojourn healthcheck
for unit in sojourn.socket sojourn-backup.timer; do
    systemctl is-enabled --quiet $unit && fail "$unit is on, and nobody asked for it"
done
say "apt-get purge -y sojourn >/dev/null 2>&1"
for path in /var/lib/sojourn /run/sojourn /etc/sojourn /usr/bin/sojourn /usr/lib/systemd/system/sojourn.service; do
    [ ! -e $path ] || fail "$path is still there"
done
systemctl list-unit-files --no-pager | grep sojourn && fail "systemd still knows of it"
find /etc/systemd -name '*sojourn*' | grep . && fail "links to its units are left"
exit 0
