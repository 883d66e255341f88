#!/usr/bin/env bash
# Compiles the clients in other languages, every warning an error, and what they take from Android against stubs.
#   examples.sh java     .build/examples/java
#   examples.sh kotlin   .build/examples/kotlin
# What is missing is installed: a JDK of 17 or later, and Kotlin 1.3 or later.
set -euo pipefail
cd "$(dirname "$0")/.."

language=${1:-}
case $language in
    java) needs=("javac default-jdk-headless") ;;
    kotlin) needs=("javac default-jdk-headless" "kotlinc kotlin") ;;
    *) echo "usage: examples.sh java|kotlin" >&2; exit 64 ;;
esac

missing=()
for need in "${needs[@]}"; do
    read -r program package <<<"$need"
    command -v "$program" >/dev/null 2>&1 || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] || scripts/install.sh "${missing[@]}"

made=.build/examples/$language stubs=.build/examples/stubs
rm -rf "$made" "$stubs"
mkdir -p "$made" "$stubs"
# 17 is what Android's tools take. Texts are joined by plain code: the other way costs a cold machine its first upload.
java=(javac --release 17 -Xlint:all -Werror -encoding UTF-8 -XDstringConcat=inline)
mapfile -t signatures < <(find Examples/Java/stubs -name '*.java' | sort)
"${java[@]}" -d "$stubs" "${signatures[@]}"
case $language in
    java)
        # The client first, where there is nothing of Android.
        "${java[@]}" -d "$made" Examples/Java/Sojourn.java
        "${java[@]}" -cp "$made:$stubs" -d "$made" Examples/Java/android/SojournAndroid.java ;;
    kotlin)
        # Its compiler tells at each start that an option of its own is deprecated.
        kotlinc -Werror -jvm-target 1.8 -cp "$stubs" -d "$made" \
            Examples/Kotlin/Sojourn.kt Examples/Kotlin/android/SojournAndroid.kt \
            2> >(grep -v 'warning: Options -Xverify:none' >&2) ;;
esac
