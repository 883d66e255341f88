# `make run` shows the whole thing; `make test` and `make test-long` prove it. All install what is missing.

.PHONY: help run cluster cluster-check cluster-chaos otlp-chaos build release package try-package try-systemd try-upgrade try-image pin-images check test-build test test-long tables browser breaks
.PHONY: flips timing chaos fuzz sanitize bench bench-gate bench-reports bench-client bench-cluster soak docs web client examples client-package check-apple check-docc check-api screenshots lint format clean

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make run          build, fill ./data with a month of simulated devices, serve until Ctrl-C
run:
	@scripts/run.sh

## make cluster      three nodes, nginx and ClickHouse of two shards with replicas on this machine, until Ctrl-C
cluster: release
	@python3 scripts/cluster/run.py

## make cluster-check  that, and every report compared with a single node's: DEVICES=60 DAYS=30 SEED=1
cluster-check: release
	@python3 scripts/cluster/check.py --devices $(or $(DEVICES),60) --days $(or $(DAYS),30) --seed $(or $(SEED),1)

## make cluster-chaos  engines and nodes killed, rolled back, cut off, and a ledger of what was answered: MINUTES=30 SEED=…
cluster-chaos: release
	@python3 scripts/cluster/chaos.py --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED))

## make otlp-chaos   a million OTLP records that come again in other groupings, with kills between: RECORDS=1000000
otlp-chaos: release
	@python3 scripts/otlp/regroup.py --records $(or $(RECORDS),1000000) .build/release/sojourn

## make release      build .build/release/sojourn
release:
	@scripts/ensure-system.sh
	swift build -c release --product sojourn

## make package      build .build/sojourn_VERSION_ARCH.deb
package:
	@scripts/package.sh

## make try-package  install that in a clean Debian, use, remove and purge it (root, debootstrap)
try-package:
	@scripts/try-package.sh

## make try-systemd  that, its copies, restarts, upgrade and moving house under a booted systemd (root)
try-systemd:
	@scripts/try-systemd.sh

## make try-upgrade  restarts under load on sockets that are held: OLD=build before, FORWARD=1, ROUNDS=6
try-upgrade: release
	python3 Tests/Deploy/upgrade.py .build/release/sojourn $(OLD) --rounds $(or $(ROUNDS),6) $(if $(FORWARD),--forward)

## make try-image    build the image with buildah, start it by crun and use it (root): BUILDAH=options
try-image:
	buildah --storage-driver vfs build --isolation chroot --format docker --tag sojourn-try $(BUILDAH) .
	python3 Tests/Deploy/image.py localhost/sojourn-try

## make pin-images   put today's digests behind the tags of base images (docker, network)
pin-images:
	@scripts/pin-images.sh

## make build        debug build of everything
build:
	@scripts/ensure-system.sh
	swift build --build-tests

## make check        builds and tests one room: ROOM=Ingest, or "JSON Ingest"; without it what differs from main. TEST=words TIER=all
check:
	@TEST='$(TEST)' TIER=$(TIER) scripts/check.py $(ROOM)

## make test-build   build for tests: .build/tests/release/sojourn, optimized, its assertions checked
test-build:
	@scripts/build-tests.sh

## make test         the short tests of everything
test:
	@scripts/test.sh short

## make test-long    the long ones too, with what they need installed: SHARD=2/4 for a part of these
test-long:
	@scripts/test.sh long $(SHARD)

## make browser      the dashboard in headless Chromium, as in make test-long: TEST=words of tests' names
browser: test-build
	@scripts/browser.sh $(TEST)

## make breaks       removes the dashboard's rules one at a time and sees a test fail for each: RULE=a word of it
breaks: test-build
	@BREAKS=1 scripts/browser.sh $(RULE)

## make tables       writes the tables of docs/protocol.md that are made from the rules
tables:
	WRITE_TABLES=1 TEST=ProtocolTableTests scripts/check.py Service

## make flips        10,000 flipped bits in bodies of each profile, over HTTP: COUNT=10000
flips: release
	TEST_PROGRAM=$(CURDIR)/.build/release/sojourn FLIPS=$(or $(COUNT),10000) TEST=FlipTests scripts/check.py EndToEnd

## make timing       how long the ways to fail decryption take: COUNT=2000 requests of each
timing: release
	TEST_PROGRAM=$(CURDIR)/.build/release/sojourn TIMING=$(or $(COUNT),2000) TEST=TimingTests scripts/check.py EndToEnd

## make chaos        power cuts, failing disks, kills: POINTS=10000 KILLS=1000 REPEATS=10000 BACKUP=1000000 SEED=…
chaos:
	@POINTS=$(POINTS) KILLS=$(KILLS) REPEATS=$(REPEATS) MODELS=$(MODELS) BACKUP=$(BACKUP) SEED=$(SEED) scripts/chaos.sh

## make fuzz         parsers under a fuzzer: SECONDS=60 each, TARGET=http1|json|gzip|rfc8188|jwe|otlp
fuzz:
	@FUZZ_SECONDS=$(or $(SECONDS),60) TARGET='$(TARGET)' scripts/fuzz.sh

## make sanitize     tests under the address and the thread sanitizer
sanitize:
	@scripts/sanitize.sh

## make bench        ingest beside the practical limit, small batches, OTLP, the gate: ROUNDS=5 EACH=8 (seconds) PEERS=1 ONLY=small BEFORE=build
bench:
	@ROUNDS=$(ROUNDS) SECONDS_EACH=$(EACH) PEERS=$(PEERS) ONLY=$(ONLY) BEFORE=$(BEFORE) PAGE=$(PAGE) scripts/bench.sh ingest

## make bench-gate   fails where a batch costs a tenth more than Benchmarks/baseline.json says: WRITE=1
bench-gate:
	@WRITE=$(WRITE) scripts/bench.sh gate

## make bench-reports  each report beside DuckDB: EVENTS=10000000 KEEP=folder
bench-reports:
	@EVENTS=$(EVENTS) DEVICES=$(DEVICES) DAYS=$(DAYS) KEEP=$(KEEP) PAGE=$(PAGE) scripts/bench.sh reports

## make bench-client  what the Swift client costs its app: ROUNDS=5
bench-client:
	@ROUNDS=$(ROUNDS) PAGE=$(PAGE) scripts/bench.sh client

## make bench-cluster  a node that hands over at full speed, and reports from real engines: ONLY=ingest|reports LONG=300
bench-cluster:
	@EVENTS=$(EVENTS) DEVICES=$(DEVICES) DAYS=$(DAYS) KEEP=$(KEEP) ROUNDS=$(ROUNDS) LONG=$(LONG) ONLY=$(ONLY) PAGE=$(PAGE) \
		scripts/bench.sh cluster

## make soak         memory and rate over an hour at full load, in some 75 GB of disk: SECONDS=3600
soak:
	@SECONDS_IN_ALL=$(SECONDS) PAGE=$(PAGE) scripts/bench.sh soak

## make docs         write the pages anew that are made from tables in the code
docs:
	WRITE_DOCS=1 TEST=GeneratedPageTests scripts/check.py Service

## make screenshots  docs/images anew: a simulated app at a set clock, in headless Chromium
screenshots:
	@scripts/screenshots.sh

## make web          Clients/Web/sojourn.js anew, by Debian's TypeScript and terser
web:
	@Clients/Web/install.sh build
	Clients/Web/build.sh

## make client       the Swift client's own tests, and .build/release/adapter in its folder for a judge
client:
	Clients/Swift/build.sh test
	Clients/Swift/build.sh adapter

## make examples     the clients in Java and Kotlin: compiled, and apps with them run against the server: LANGUAGE=java
examples: test-build
	python3 Tests/Examples/suite.py .build/tests/release/sojourn $(LANGUAGE)

## make client-package  the Swift client as a package that can be tagged: FOLDER=../sojourn-client
client-package:
	@scripts/client-package.sh $(or $(FOLDER),.build/sojourn-client)

## make check-apple  what can be known on Linux of code for Apple's systems, and errors planted in it
check-apple: test-build
	scripts/check-apple.sh
	scripts/check-apple.sh planted

## make check-docc   the Swift client's documentation converts without a warning; then errors planted in it
check-docc:
	scripts/check-docc.sh
	scripts/check-docc.sh planted

## make check-api    the Swift client's public interface is as checked in; then changes planted in it
check-api:
	scripts/check-api.sh
	scripts/check-api.sh planted

FORMATTED = Sources Tests Fuzz Benchmarks Examples Package.swift $(addprefix Clients/Swift/,Sources Tests Package.swift)

## make lint         formatting as checked in
lint:
	swift format lint --strict --recursive $(FORMATTED)

## make format       formats in place
format:
	swift format --in-place --recursive $(FORMATTED)

## make clean        removes what was built
clean:
	rm -rf .build
