#!/usr/bin/env bash
# Builds .build/sojourn_VERSION_ARCH.deb: the release program with the Swift runtime in it, units,
# default settings, man pages and completions. What it needs of the distribution is read from the
# program itself.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "package: $*" >&2; exit 1; }
scripts/ensure-system.sh
for tool in dpkg-deb dpkg-shlibdeps strip gzip; do
    command -v $tool >/dev/null 2>&1 || fail "$tool is missing; on Debian: apt-get install dpkg-dev"
done

# A folder of its own: the flag changes every object, and the usual build is to stay as it is.
scratch=.build/package
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build() { swift build --scratch-path $scratch "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "the build failed; the lines above say why"; }; }
build -c release --product sojourn --static-swift-stdlib
build -c release --product generate-manual
program=$scratch/release/sojourn

version=$("$program" --version)
# Whoever builds a package for others gives a name and an address in Debian's variables. Nobody has an
# address in .invalid (RFC 2606): the project has none.
maintainer="${DEBFULLNAME:-Sojourn maintainers} <${DEBEMAIL:-sojourn@packages.invalid}>"
arch=$(dpkg --print-architecture)
root=$scratch/root
rm -rf $root $scratch/debian
install -D -m 0755 "$program" $root/usr/bin/sojourn
strip --strip-unneeded $root/usr/bin/sojourn

units=$root/usr/lib/systemd/system
for unit in sojourn.service sojourn.socket sojourn-backup.service sojourn-backup.timer; do
    install -D -m 0644 deploy/$unit $units/$unit
done
install -D -m 0644 deploy/sojourn.sysusers $root/usr/lib/sysusers.d/sojourn.conf
install -D -m 0644 deploy/config.json $root/etc/sojourn/config.json

scripts/manual.sh "$program" $scratch/release/generate-manual $root/usr/share/man/man1
gzip -9n $root/usr/share/man/man1/*.1
# They are read, not run: no first line that names an interpreter.
completion() { mkdir -p "$(dirname "$root/$2")"; "$program" --generate-completion-script "$1" | sed '1{/^#!/d}' >"$root/$2"; }
completion bash usr/share/bash-completion/completions/sojourn
completion zsh usr/share/zsh/vendor-completions/_sojourn
completion fish usr/share/fish/vendor_completions.d/sojourn.fish

documents=$root/usr/share/doc/sojourn
install -D -m 0644 -t $documents ./*.md docs/*.md docs/*.svg deploy/debian/copyright
install -D -m 0644 -t $documents/decisions docs/decisions/*.md
install -D -m 0644 -t $documents/examples deploy/nginx.conf.example deploy/Caddyfile.example
install -D -m 0644 -t $documents/examples/prometheus deploy/prometheus/*.yml
install -D -m 0644 -t $documents/examples/grafana deploy/grafana/*.json
(cd deploy && find cluster -type f -exec install -D -m 0644 {} "$OLDPWD/$documents/examples/{}" \;)
# The pages lie beside README.md here, and what they say of deploy/ in examples.
sed -E -i 's,docs/(decisions/)?([A-Za-z0-9-]+\.md),\1\2,g; s,\]\(docs/decisions\),](decisions),g; s,\]\(\.\./,](,g
    s,\]\(LICENSE\),](copyright),g; s,deploy/(nginx\.conf|Caddyfile|prometheus|grafana|cluster),examples/\1,g' $documents/*.md
sed -i 's,\.\./docs/,../,g; s,docs/,,g' $documents/examples/cluster/README.md
scripts/debian-changelog.sh "$maintainer" <CHANGELOG.md | gzip -9n >$documents/changelog.gz

# dpkg-shlibdeps wants the beginning of a source package around it.
mkdir -p $scratch/debian
printf 'Source: sojourn\n\nPackage: sojourn\nArchitecture: any\n' >$scratch/debian/control
libraries=$(cd $scratch && dpkg-shlibdeps -O root/usr/bin/sojourn 2>"$log" | sed 's/^shlibs:Depends=//') \
    || { cat "$log" >&2; fail "cannot tell which libraries the program needs"; }

mkdir -p $root/DEBIAN
cat >$root/DEBIAN/control <<END
Package: sojourn
Version: $version
Architecture: $arch
Maintainer: $maintainer
Section: net
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN $root | cut -f1)
Depends: $libraries, tzdata, passwd
Recommends: ca-certificates
Description: self-hosted session analytics for apps
 Phones post sealed batches of session events; operators ask for reports of how
 long and how their apps are used. One program, one SQLite file, no third party.
END
(cd $root && find etc -type f -printf '/%p\n') >$root/DEBIAN/conffiles
(cd $root && find usr -type f -printf '%P\0' | sort -z | (cd usr && xargs -0 md5sum) | sed 's|  |  usr/|') >$root/DEBIAN/md5sums
for script in postinst prerm postrm; do install -m 0755 deploy/debian/$script $root/DEBIAN/$script; done

package=.build/sojourn_${version}_$arch.deb
dpkg-deb --root-owner-group -Zxz --build $root "$package" >/dev/null
# Where Debian's own checker is installed, it has to find no error and give no warning.
if command -v lintian >/dev/null 2>&1; then
    lintian --allow-root --fail-on error,warning "$package" >"$log" 2>&1 \
        || { cat "$log" >&2; fail "lintian finds fault with $package"; }
fi
echo "$package"
