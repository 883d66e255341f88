. /root/common.sh
say "systemctl disable --now sojourn.socket sojourn.service sojourn-backup.timer" 2>&1
systemctl is-active --quiet sojourn.socket sojourn.service && fail "it still runs"
post late >/dev/null && fail "somebody still answers"
report >figures
