#!/usr/bin/env bash
# Puts behind each base image's tag the digest that it has in its registry today: pin-images.sh [FILE…]
# (docker with buildx, network). A tag may be moved to another image, a digest may not. Without a file,
# those of this repository.
set -euo pipefail
files=("$@")
if [ $# -eq 0 ]; then
    cd "$(dirname "$0")/.."
    files=(Dockerfile deploy/compose.yaml .github/workflows/tests.yml)
fi

images=$(grep -ohE 'docker\.io/library/[a-z0-9]+:[A-Za-z0-9._-]+' "${files[@]}" | sort -u)
for image in $images; do
    digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
    if ! [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]]; then
        echo "pin-images: the registry gives no digest of $image" >&2
        exit 1
    fi
    sed -i -E "s#${image//./\\.}(@sha256:[0-9a-f]{64})?([^A-Za-z0-9._@-]|\$)#$image@$digest\2#" "${files[@]}"
    echo "$image@$digest"
done
