# Sojourn in a container: docker build --tag sojourn . ; deploy/compose.yaml runs it behind a proxy.
# make pin-images puts the digests of the day behind the tags of both bases, which may be moved to other images.
# Other bases: --build-arg BUILD_IMAGE=… (Swift 6.3 on Debian 12) --build-arg RUN_IMAGE=… (Debian 12).
ARG BUILD_IMAGE=docker.io/library/swift:6.3-bookworm
ARG RUN_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /source
COPY scripts/ensure-system.sh scripts/
RUN apt-get update -q && apt-get install -y -q --no-install-recommends make && scripts/ensure-system.sh
COPY . .
RUN swift build -c release --product sojourn --static-swift-stdlib \
    && install -D -m 0755 .build/release/sojourn /result/sojourn \
    && strip --strip-unneeded /result/sojourn

FROM ${RUN_IMAGE}
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends \
        zlib1g libssl3 libsqlite3-0 libcurl4 libdeflate0 libstdc++6 tzdata ca-certificates \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/*.log \
    && useradd --system --uid 10001 --user-group --no-create-home --home-dir /data \
        --shell /usr/sbin/nologin sojourn \
    && install -d -m 0700 -o sojourn -g sojourn /data /backups
COPY --from=build /result/sojourn /usr/bin/sojourn

# Everything it keeps, SQLite's temporary files too: the root file system may be read-only. /backups is
# for a volume that `sojourn backup` writes to; none of its own, which would go unseen with the container.
VOLUME /data
ENV SOJOURN_DATA=/data SOJOURN_LISTEN=0.0.0.0:8080
USER sojourn
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s CMD ["sojourn", "healthcheck"]
ENTRYPOINT ["sojourn"]
CMD ["serve"]
