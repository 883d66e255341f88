import JSON

/// The settings by name and type: one that there is not, or of another type, does not compile.
/// What each is for is its help.
package enum SettingKeys {
    /// A setting that always is a number: bytes, a count, or milliseconds.
    package struct WholeNumber: Sendable {
        /// What is known of it.
        package let setting: Setting

        init(_ name: String, _ kind: SettingKind, default fallback: String, _ help: String) {
            setting = Setting(name, kind, default: fallback, help)
        }

        package static let maxBodyBytes = WholeNumber(
            "max-body-bytes", .size(1024...(256 << 20)), default: "1MiB", "largest body as sent")
        package static let maxInflatedBytes = WholeNumber(
            "max-inflated-bytes", .size(1024...(512 << 20)), default: "8MiB",
            "largest body once inflated")
        package static let maxBatchEvents = WholeNumber(
            "max-batch-events", .count(1...8192), default: "5000", "most events of a batch")
        package static let maxElements = WholeNumber(
            "max-elements", .count(1...100_000_000), default: "\(Scanner.defaultMaxElements)",
            "most JSON values and members' names, or protobuf fields, of a body")
        package static let maxHeaderBytes = WholeNumber(
            "max-header-bytes", .size(512...(1 << 20)), default: "16KiB",
            "largest header section of a request")
        package static let maxHeaderFields = WholeNumber(
            "max-header-fields", .count(1...10_000), default: "100",
            "most header fields of a request")
        package static let maxRequestLineBytes = WholeNumber(
            "max-request-line-bytes", .size(64...(1 << 20)), default: "8KiB",
            "longest request line")
        package static let maxConnections = WholeNumber(
            "max-connections", .count(1...1_000_000), default: "10000",
            "connections at a time; more wait in the backlog")
        package static let maxBufferedBytes = WholeNumber(
            "max-buffered-bytes", .size((1 << 20)...(1 << 40)), default: "256MiB",
            "memory of all bodies and waiting batches together; half of it for whole ones alone")
        package static let maxAnswerBytes = WholeNumber(
            "max-answer-bytes", .size((64 << 10)...(1 << 40)), default: "64MiB",
            "memory of all answers over 16 KiB that wait for their readers together")
        package static let maxNames = WholeNumber(
            "max-names", .count(1...100_000_000), default: "100000",
            "event names and attribute keys of an app; events that bring more are rejected")
        package static let headerTimeout = WholeNumber(
            "header-timeout", .duration(1...86_400_000), default: "10s",
            "for a header, from its first octet")
        package static let bodyTimeout = WholeNumber(
            "body-timeout", .duration(1...86_400_000), default: "30s",
            "for a body, from the header's end")
        package static let idleTimeout = WholeNumber(
            "idle-timeout", .duration(1...86_400_000), default: "75s",
            "between requests")
        package static let writeTimeout = WholeNumber(
            "write-timeout", .duration(1...86_400_000), default: "30s",
            "for an answer; in a streamed one for each further 64 KiB")
        package static let maxPendingBatches = WholeNumber(
            "max-pending-batches", .count(1...1_000_000), default: "4096",
            "batches that may wait for the disk")
        package static let shutdownTimeout = WholeNumber(
            "shutdown-timeout", .duration(1...86_400_000), default: "30s",
            "to finish what was accepted")
        package static let maxEventAge = WholeNumber(
            "max-event-age", .duration(60_000...315_360_000_000), default: "400d",
            "oldest event that is accepted")
        package static let reportMinGroup = WholeNumber(
            "report-min-group", .count(1...1_000_000), default: "1",
            "hides groups of fewer devices in reports")
        package static let reportTimeout = WholeNumber(
            "report-timeout", .duration(1...86_400_000), default: "30s",
            "longest a report may compute")
        package static let forwardInterval = WholeNumber(
            "forward-interval", .duration(10...3_600_000), default: "1s",
            "how long batches wait for more before they are handed over")
        package static let forwardTimeout = WholeNumber(
            "forward-timeout", .duration(100...3_600_000), default: "30s",
            "for one request to the engine")
        package static let reportMemory = WholeNumber(
            "report-memory", .size((1 << 20)...(1 << 40)), default: "256MiB",
            "memory of all reports together while they compute")
    }

    /// A setting that is a number, or off.
    package struct OptionalNumber: Sendable {
        /// What is known of it.
        package let setting: Setting

        init(
            _ name: String, _ kind: SettingKind, default fallback: String = "off", _ help: String
        ) {
            setting = Setting(name, kind, default: fallback, help)
        }

        package static let retention = OptionalNumber(
            "retention", .duration(86_400_000...315_360_000_000, mayBeOff: true),
            "prunes older sessions and events daily")
        package static let rateLimit = OptionalNumber(
            "rate-limit", .count(1...1_000_000, mayBeOff: true),
            "batches a second of one device, 256 KiB or 32,768 elements as one; off for no limit")
        package static let spoolRetention = OptionalNumber(
            "spool-retention", .duration(1000...315_360_000_000, mayBeOff: true), default: "7d",
            "how long a node keeps what it has handed over; off for ever")
        package static let maxSpoolBytes = OptionalNumber(
            "max-spool-bytes", .size((1 << 20)...(1 << 50), mayBeOff: true),
            "bodies that are not handed over, as sent; beyond it batches are refused")
    }

    /// A setting that always is a text.
    package struct Text: Sendable {
        /// What is known of it.
        package let setting: Setting

        init(_ name: String, _ kind: SettingKind, default fallback: String, _ help: String) {
            setting = Setting(name, kind, default: fallback, help)
        }

        package static let data = Text(
            "data", .path, default: "./data",
            "the data directory (default also: systemd's STATE_DIRECTORY)")
        package static let dashboard = Text(
            "dashboard", .choice(["on", "off"]), default: "on",
            "the page at / that draws reports, where reports are asked")
        package static let forwardUser = Text(
            "forward-user", .text, default: "sojourn", "as whom the engine is asked")
        package static let forwardDatabase = Text(
            "forward-database", .name(.database), default: "sojourn",
            "the engine's database")
        package static let logLevel = Text(
            "log-level",
            .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            default: "info", "least severe line that is logged")
        package static let logFormat = Text(
            "log-format", .choice(["text", "json"]), default: "text", "form of log lines")
    }

    /// A setting that is a text, or off or not set.
    package struct OptionalText: Sendable {
        /// What is known of it.
        package let setting: Setting

        init(_ name: String, _ kind: SettingKind, default fallback: String?, _ help: String) {
            setting = Setting(name, kind, default: fallback, help)
        }

        package static let adminListen = OptionalText(
            "admin-listen", .address(mayBeOff: true), default: "127.0.0.1:9187",
            "where /metrics, /livez and /readyz are; off for none")
        package static let masterKeyFile = OptionalText(
            "master-key-file", .path, default: nil,
            "the master key's file (default: master.key in the data directory, or the systemd credential master.key)"
        )
        package static let forwardPasswordFile = OptionalText(
            "forward-password-file", .path, default: nil,
            "the file of the engine's password (default: none, or the systemd credential forward-password)"
        )
        package static let node = OptionalText(
            "node", .name(.node), default: nil,
            "this node's name among all that hand over to one engine")
    }

    /// A setting of several engines; none where it is not set.
    package struct Engines: Sendable {
        /// What is known of it.
        package let setting: Setting

        package static let forwardTo = Engines(
            setting: Setting(
                "forward-to", .engine, default: nil, repeatable: true,
                "the engine that batches are handed over to, http:// or https://; several times: its shards in order; addresses divided by spaces: replicas of one"
            ))
    }

    /// A setting of several origins of browsers; none where it is not set.
    package struct Origins: Sendable {
        /// What is known of it.
        package let setting: Setting

        package static let corsOrigins = Origins(
            setting: Setting(
                "cors-origins", .origin, default: nil, repeatable: true,
                "browsers' origins that may post to /v1/logs, such as https://shop.example, or *"))
    }

    /// A setting of several addresses; none where it is off.
    package struct Addresses: Sendable {
        /// What is known of it.
        package let setting: Setting

        init(_ name: String, _ kind: SettingKind, default fallback: String, _ help: String) {
            setting = Setting(name, kind, default: fallback, repeatable: true, help)
        }

        package static let listen = Addresses(
            "listen", .address(mayBeOff: false), default: "127.0.0.1:8080",
            "where devices post and, without report-listen, reports are asked")
        package static let reportListen = Addresses(
            "report-listen", .address(mayBeOff: true), default: "off",
            "where reports are asked instead, away from devices")
    }
}
