/// One setting: everything that the command line, the environment, the configuration file, the
/// help and the documentation need to know of it.
package struct Setting: Sendable {
    /// As in `--max-body-bytes` and in the configuration file.
    package let name: String
    package let kind: SettingKind
    /// The default, as it would be written; nil for none.
    package let fallback: String?
    /// May be given more than once (an array in the file, with commas in the environment).
    package let isRepeatable: Bool
    package let help: String

    init(
        _ name: String, _ kind: SettingKind, default fallback: String?, repeatable: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        isRepeatable = repeatable
        self.help = help
    }

    /// `SOJOURN_MAX_BODY_BYTES`.
    package var variable: String {
        "SOJOURN_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Every setting there is (docs/operation.md, Settings).
    package static let all: [Setting] = [
        Setting(
            "listen", .address(mayBeOff: false), default: "127.0.0.1:8080", repeatable: true,
            "where devices post and, without report-listen, reports are asked"),
        Setting(
            "report-listen", .address(mayBeOff: true), default: "off", repeatable: true,
            "where reports are asked instead, away from devices"),
        Setting(
            "admin-listen", .address(mayBeOff: true), default: "127.0.0.1:9187",
            "where /metrics, /livez and /readyz are; off for none"),
        Setting(
            "data", .path, default: "./data",
            "the data directory (default also: systemd's STATE_DIRECTORY)"),
        Setting(
            "master-key-file", .path, default: nil,
            "the master key's file (default: master.key in the data directory, or the systemd credential master.key)"
        ),
        Setting(
            "max-body-bytes", .size(1024...(256 << 20)), default: "1MiB", "largest body as sent"),
        Setting(
            "max-inflated-bytes", .size(1024...(512 << 20)), default: "8MiB",
            "largest body once inflated"),
        Setting("max-batch-events", .count(1...8192), default: "5000", "most events of a batch"),
        Setting(
            "max-header-bytes", .size(512...(1 << 20)), default: "16KiB",
            "largest header section of a request"),
        Setting(
            "max-header-fields", .count(1...10_000), default: "100",
            "most header fields of a request"),
        Setting(
            "max-request-line-bytes", .size(64...(1 << 20)), default: "8KiB",
            "longest request line"),
        Setting(
            "max-connections", .count(1...1_000_000), default: "10000",
            "connections at a time; more wait in the backlog"),
        Setting(
            "max-buffered-bytes", .size((1 << 20)...(1 << 40)), default: "256MiB",
            "memory of all bodies and waiting batches together; half of it for whole ones alone"),
        Setting(
            "max-answer-bytes", .size((64 << 10)...(1 << 40)), default: "64MiB",
            "memory of all answers over 16 KiB that wait for their readers together"),
        Setting(
            "max-names", .count(1...100_000_000), default: "100000",
            "event names and attribute keys of an app; events that bring more are rejected"),
        Setting(
            "header-timeout", .duration(1...86_400_000, mayBeOff: false), default: "10s",
            "for a header, from its first octet"),
        Setting(
            "body-timeout", .duration(1...86_400_000, mayBeOff: false), default: "30s",
            "for a body, from the header's end"),
        Setting(
            "idle-timeout", .duration(1...86_400_000, mayBeOff: false), default: "75s",
            "between requests"),
        Setting(
            "write-timeout", .duration(1...86_400_000, mayBeOff: false), default: "30s",
            "for an answer; in a streamed one for each further 64 KiB"),
        Setting(
            "max-pending-batches", .count(1...1_000_000), default: "4096",
            "batches that may wait for the disk"),
        Setting(
            "shutdown-timeout", .duration(1...86_400_000, mayBeOff: false), default: "30s",
            "to finish what was accepted"),
        Setting(
            "max-event-age", .duration(60_000...315_360_000_000, mayBeOff: false), default: "400d",
            "oldest event that is accepted"),
        Setting(
            "retention", .duration(86_400_000...315_360_000_000, mayBeOff: true), default: "off",
            "prunes older sessions and events daily"),
        Setting(
            "report-min-group", .count(1...1_000_000), default: "1",
            "hides groups of fewer devices in reports"),
        Setting(
            "report-timeout", .duration(1...86_400_000, mayBeOff: false), default: "30s",
            "longest a report may compute"),
        Setting(
            "report-memory", .size((1 << 20)...(1 << 40)), default: "256MiB",
            "memory of all reports together while they compute"),
        Setting(
            "rate-limit", .count(1...1_000_000, mayBeOff: true), default: "off",
            "batches a second of one device, each 256 KiB of JSON as one; off for no limit"),
        Setting(
            "log-level",
            .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            default: "info", "least severe line that is logged"),
        Setting("log-format", .choice(["text", "json"]), default: "text", "form of log lines"),
    ]

    package static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
