import Testing

@testable import Service

/// docs/operation.md, Settings.
@Suite("settings")
struct SettingsTests {
    private static func resolve(
        _ commandLine: [String: [String]] = [:], environment: [String: String] = [:],
        config: String? = nil, files: [String: String] = [:]
    ) throws -> Settings {
        try SettingsResolver(
            commandLine: commandLine, environment: environment, configFile: config,
            readFile: { files[$0].map { Array($0.utf8) } }
        ).resolve()
    }

    private static func error(_ work: () throws -> Settings) -> String {
        do {
            _ = try work()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test("defaults are those of the contract")
    func defaults() throws {
        let settings = try Self.resolve()
        #expect(settings.listen == ["127.0.0.1:8080"])
        #expect(settings.reportListen.isEmpty)
        #expect(settings.adminListen == "127.0.0.1:9187")
        #expect(settings.data == "./data")
        #expect(settings.maxBodyBytes == 1 << 20)
        #expect(settings.maxInflatedBytes == 8 << 20)
        #expect(settings.maxBatchEvents == 5000)
        #expect(settings.maxElements == 1_000_000)
        #expect(settings.maxHeaderBytes == 16 << 10)
        #expect(settings.maxHeaderFields == 100)
        #expect(settings.maxRequestLineBytes == 8 << 10)
        #expect(settings.maxConnections == 10_000)
        #expect(settings.maxBufferedBytes == 256 << 20)
        #expect(settings.headerTimeout == 10_000)
        #expect(settings.bodyTimeout == 30_000)
        #expect(settings.idleTimeout == 75_000)
        #expect(settings.writeTimeout == 30_000)
        #expect(settings.maxPendingBatches == 4096)
        #expect(settings.shutdownTimeout == 30_000)
        #expect(settings.maxEventAge == 400 * 86_400_000)
        #expect(settings.reportMinGroup == 1)
        #expect(settings.reportTimeout == 30_000)
        #expect(settings.dashboard)
        #expect(settings.logLevel == "info" && settings.logFormat == "text")
    }

    @Test("every default is a value of its own kind")
    func defaultsParse() {
        for setting in Setting.all {
            guard let fallback = setting.fallback else { continue }
            let value = SettingParser.parse(fallback, as: setting.kind)
            #expect(value != nil || fallback == "off", "\(setting.name)")
        }
    }

    @Test(
        "the command line is stronger than the environment, that than the file, that than the default"
    )
    func precedence() throws {
        let files = [
            "/c.json": #"{"max-batch-events": 3, "idle-timeout": "3s", "log-level": "error"}"#
        ]
        let environment = ["SOJOURN_MAX_BATCH_EVENTS": "2", "SOJOURN_IDLE_TIMEOUT": "2s"]
        let settings = try Self.resolve(
            ["max-batch-events": ["1"]], environment: environment, config: "/c.json", files: files)
        #expect(settings.maxBatchEvents == 1)
        #expect(settings.idleTimeout == 2000)
        #expect(settings.logLevel == "error")
        let sources = Dictionary(
            uniqueKeysWithValues: settings.origins.map { ($0.name, $0.source.description) })
        #expect(sources["max-batch-events"] == "command line")
        #expect(sources["idle-timeout"] == "environment variable SOJOURN_IDLE_TIMEOUT")
        #expect(sources["log-level"] == "file /c.json")
        #expect(sources["header-timeout"] == "default")
    }

    @Test("a repeatable setting takes several values from any source")
    func repeatable() throws {
        let both = ["127.0.0.1:1", "[::1]:2"]
        #expect(try Self.resolve(["listen": both]).listen == both)
        #expect(
            try Self.resolve(environment: ["SOJOURN_LISTEN": "127.0.0.1:1,[::1]:2"]).listen == both)
        let file = ["/c": #"{"listen": ["127.0.0.1:1", "[::1]:2"]}"#]
        #expect(try Self.resolve(config: "/c", files: file).listen == both)
    }

    @Test("the dashboard is on or off, and nothing else")
    func dashboard() throws {
        #expect(try !Self.resolve(["dashboard": ["off"]]).dashboard)
        #expect(try !Self.resolve(environment: ["SOJOURN_DASHBOARD": "off"]).dashboard)
        let files = ["/off": #"{"dashboard": "off"}"#, "/false": #"{"dashboard": false}"#]
        #expect(try !Self.resolve(config: "/off", files: files).dashboard)
        let on = try Self.resolve(["dashboard": ["on"]], config: "/off", files: files)
        #expect(on.dashboard)
        for text in ["", "maybe", "On", "OFF", "true", "1", "on ", "on,off"] {
            let message = Self.error { try Self.resolve(["dashboard": [text]]) }
            #expect(message == "setting dashboard from command line is not one of on, off")
            let other = Self.error { try Self.resolve(environment: ["SOJOURN_DASHBOARD": text]) }
            #expect(
                other
                    == "setting dashboard from environment variable SOJOURN_DASHBOARD is not one of on, off"
            )
        }
        #expect(
            Self.error { try Self.resolve(config: "/false", files: files) }
                == "setting dashboard from file /false is not one of on, off")
    }

    @Test("an empty address in a list is none", arguments: ["127.0.0.1:1,", ",127.0.0.1:1", ""])
    func emptyAddress(list: String) {
        let message = Self.error { try Self.resolve(environment: ["SOJOURN_LISTEN": list]) }
        #expect(
            message.hasPrefix("setting listen from environment variable SOJOURN_LISTEN is not "),
            "\(message)")
    }

    @Test(
        "a value outside a setting's bounds is answered with the bounds",
        arguments: [
            ("max-event-age", "1s", "from 1m to 3650d"),
            ("max-event-age", "3651d", "from 1m to 3650d"),
            ("max-header-fields", "0", "from 1 to 10000"),
            ("listen", "localhost", "a numeric address with its port"),
            ("listen", "unix:/" + String(repeating: "x", count: 107), "has a path of 108 octets"),
        ])
    func bounds(name: String, text: String, advice: String) {
        let message = Self.error { try Self.resolve([name: [text]]) }
        #expect(
            message.hasPrefix("setting \(name) from command line ") && message.contains(advice),
            "\(message)")
    }

    @Test("a socket's path may have 107 bytes")
    func maxPathLength() throws {
        let address = "unix:/" + String(repeating: "x", count: 106)
        #expect(try Self.resolve(["listen": [address]]).listen == [address])
    }

    @Test("systemd's folders stand for the data directory and the key")
    func systemd() throws {
        let settings = try Self.resolve(
            environment: [
                "STATE_DIRECTORY": "/var/lib/sojourn:/other", "CREDENTIALS_DIRECTORY": "/cred",
            ],
            files: ["/cred/master.key": "x"])
        #expect(settings.data == "/var/lib/sojourn")
        #expect(settings.masterKeyFile == "/cred/master.key")
        #expect(settings.guardedKey == nil)
        let without = try Self.resolve(environment: ["CREDENTIALS_DIRECTORY": "/cred"])
        #expect(without.masterKeyFile == nil)
        #expect(without.guardedKey == "./data/master.key")
    }

    @Test(
        "whose modes a credential has is systemd's affair, and of any other key its owner's",
        arguments: [
            ("/cred", "/cred/other", nil), ("/cred", "/credit/key", "/credit/key"),
            ("", "/key", "/key"), (nil, "/key", "/key"),
        ] as [(String?, String, String?)])
    func guardedKey(credentials: String?, file: String, guarded: String?) throws {
        let settings = try Self.resolve(
            ["master-key-file": [file]],
            environment: credentials.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:])
        #expect(settings.guardedKey == guarded)
    }

    @Test("an unknown setting is refused with its name and where it came from")
    func unknown() {
        #expect(
            Self.error { try Self.resolve(environment: ["SOJOURN_LISTNE": "x"]) }
                .contains("SOJOURN_LISTNE"))
        let file = ["/c": #"{"listne": "x"}"#]
        let message = Self.error { try Self.resolve(config: "/c", files: file) }
        #expect(message.contains("listne") && message.contains("/c"))
    }

    @Test(
        "what a cluster injects for services is no setting, whatever follows sojourn in their names",
        arguments: ["", "_WEB", "_REPORTS_2", "_METRICS_PORT", "_SERVICE"])
    func injected(service: String) throws {
        let shapes = [
            "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "SERVICE_PORT_HTTP_ADMIN_2",
            "SERVICE_PORT_8080", "PORT", "PORT_8080_TCP", "PORT_8080_TCP_PROTO",
            "PORT_8080_TCP_PORT", "PORT_8080_TCP_ADDR", "PORT_53_UDP", "PORT_53_UDP_ADDR",
            "PORT_1_SCTP", "PORT_1_SCTP_PROTO",
        ]
        let names = shapes.map { "SOJOURN\(service)_\($0)" }
        let settings = try Self.resolve(
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, "tcp://10.0.0.1:80") })
                .merging(["SOJOURN_TOKEN": "sj_x", "SOJOURN_MAX_NAMES": "7"]) { $1 })
        #expect(settings.maxNames == 7)
    }

    @Test(
        "what is not of that shape is an unknown setting",
        arguments: [
            "SOJOURN_SERVICE", "SOJOURN_SERVICE_NAME", "SOJOURN_PORTS", "SOJOURN_PORT_",
            "SOJOURN_PORT_8080", "SOJOURN_PORT_TCP", "SOJOURN_PORT_8080_TLS", "SOJOURN_PORT_X_TCP",
            "SOJOURN_PORT_8080_TCP_HOST", "SOJOURN_PORT_8080_TCP_ADDR_X", "SOJOURN_PORT__TCP",
            "SOJOURN_SERVICE_PORT_", "SOJOURN_HOST", "SOJOURN_SERVICE_HOSTS", "SOJOURN_ADDR",
            "SOJOURN_TRANSPORT", "SOJOURN_8080_TCP", "SOJOURN_",
        ])
    func notInjected(name: String) {
        #expect(
            Self.error { try Self.resolve(environment: [name: "x"]) }
                .hasPrefix("unknown setting in environment variable \(name);"))
    }

    @Test(
        "an ill-typed value is refused from any source",
        arguments: [
            ("max-body-bytes", "1MB"), ("max-body-bytes", "-1"), ("max-body-bytes", ""),
            ("max-body-bytes", "1.5MiB"), ("max-body-bytes", "99999999999999999999"),
            ("max-batch-events", "0"), ("max-batch-events", "8193"), ("max-batch-events", "٣"),
            ("idle-timeout", "75"), ("idle-timeout", "75 s"), ("idle-timeout", "off"),
            ("idle-timeout", "9223372036854775807d"), ("listen", "8080"), ("listen", "off"),
            ("listen", "127.0.0.1:65536"), ("listen", "::1:80"), ("log-level", "loud"),
        ])
    func illTyped(name: String, text: String) {
        let variable = Setting.byName[name]?.variable ?? ""
        for message in [
            Self.error { try Self.resolve([name: [text]]) },
            Self.error { try Self.resolve(environment: [variable: text]) },
        ] where !(text.isEmpty && message == "no error") {
            #expect(message.contains(name), "\(message)")
        }
    }

    @Test(
        "durations and sizes have their units",
        arguments: [
            ("500ms", 500), ("30s", 30_000), ("15m", 900_000), ("24h", 86_400_000),
            ("2d", 172_800_000),
        ])
    func durations(text: String, milliseconds: Int64) {
        #expect(DurationText.milliseconds(text) == milliseconds)
        #expect(
            DurationText.milliseconds(DurationText.text(milliseconds: milliseconds)) == milliseconds
        )
    }

    @Test(
        "a value in the file has its setting's type: numbers where something is counted, arrays where it repeats",
        arguments: [
            (#"{"log-level": ["info"]}"#, "log-level"), (#"{"data": 5}"#, "data"),
            (#"{"max-connections": true}"#, "max-connections"),
            (#"{"max-connections": 1.5}"#, "max-connections"),
            (#"{"max-connections": ["5"]}"#, "max-connections"),
            (#"{"max-connections": null}"#, "max-connections"),
            (#"{"idle-timeout": 75}"#, "idle-timeout"), (#"{"listen": 8080}"#, "listen"),
            (#"{"listen": [8080]}"#, "listen"), (#"{"listen": []}"#, "listen"),
            (#"{"admin-listen": ["127.0.0.1:1"]}"#, "admin-listen"),
            (#"{"log-format": 1}"#, "log-format"), (#"{"rate-limit": false}"#, "rate-limit"),
            (#"{"rate-limit": 0}"#, "rate-limit"),
        ])
    func typesInFile(text: String, name: String) {
        let message = Self.error { try Self.resolve(config: "/c", files: ["/c": text]) }
        #expect(message.hasPrefix("setting \(name) from file /c is not "), "\(message)")
    }

    @Test("an ill-typed value is refused even where a stronger source hides it")
    func hidden() {
        let message = Self.error {
            try Self.resolve(
                ["admin-listen": ["off"]], environment: ["SOJOURN_ADMIN_LISTEN": "127.0.0.1:1"],
                config: "/c", files: ["/c": #"{"admin-listen": "nowhere"}"#])
        }
        #expect(message.hasPrefix("setting admin-listen from file /c is not "), "\(message)")
        #expect(
            Self.error {
                try Self.resolve(
                    ["log-level": ["info"]], environment: ["SOJOURN_LOG_LEVEL": "loud"])
            }.contains("SOJOURN_LOG_LEVEL"))
    }

    @Test("a rate limit is a number of batches or off")
    func rateLimit() throws {
        #expect(try Self.resolve().rateLimit == nil)
        #expect(try Self.resolve(["rate-limit": ["off"]]).rateLimit == nil)
        #expect(try Self.resolve(["rate-limit": ["7"]]).rateLimit == 7)
        #expect(try Self.resolve(config: "/c", files: ["/c": #"{"rate-limit": 8}"#]).rateLimit == 8)
    }

    @Test("a byte order mark and Windows' line ends are passed over")
    func byteOrderMark() throws {
        let text = "\u{FEFF}{\r\n  \"log-level\": \"warning\"\r\n}\r\n"
        #expect(try Self.resolve(config: "/c", files: ["/c": text]).logLevel == "warning")
    }

    @Test(
        "of a file that is no JSON it is said where and what is wrong",
        arguments: [
            ("// mine\n{}", "line 1, column 1: a comment"),
            ("{\n  # mine\n}", "line 2, column 3: a comment"),
            ("{\"data\": \"/d\" /* here */}", "line 1, column 15: a comment"),
            ("{} // end", "line 1, column 4: a comment"),
            ("{\"data\": \"/d\",}", "line 1, column 15: nothing follows the comma before it"),
            ("{\"data\": \"/d\",\r\n}\r\n", "line 2, column 1: nothing follows the comma"),
            (
                "{\"listen\": [\"127.0.0.1:1\", ]}",
                "line 1, column 28: nothing follows the comma before it"
            ),
            ("\u{FEFF}{\"data\": \"é\",}", "line 1, column 14: nothing follows the comma"),
            ("{\"data\": \"/d\"\n \"node\": \"a\"}", "line 2, column 2: a comma is missing"),
            ("{'data': \"/d\"}", "line 1, column 2: a single quote"),
            ("{\"data\": \"C:\\data\"}", "line 1, column 14: a backslash"),
            ("{\"data\": \"/d\n\"}", "line 1, column 13: a line's end"),
            ("{\"data\": \"/d\"", "line 1, column 14: the file ends too soon"),
            (
                "{\"data\": \"/d\", \"data\": \"/e\"}",
                "line 1, column 16: setting data stands twice"
            ),
            ("{\"max-body-bytes\": 1MiB}", "line 1, column 21: JSON does not allow this here"),
            ("{data: \"/d\"}", "line 1, column 2: JSON does not allow this here"),
            ("{\"dashboard\": True}", "line 1, column 15: JSON does not allow this here"),
            ("{} {}", "line 1, column 4: something follows the object"),
            ("", "line 1, column 1: the file is empty"),
            (" \n", "line 2, column 1: the file is empty"),
        ])
    func malformedFile(text: String, found: String) {
        let message = Self.error { try Self.resolve(config: "/c", files: ["/c": text]) }
        #expect(message.hasPrefix("configuration file /c, \(found)"), "\(message)")
    }

    @Test("a file in another encoding is said to be one", arguments: [true, false])
    func wideFile(isLittle: Bool) throws {
        var bytes: [UInt8] = isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]
        for unit in "{}".utf16 {
            let pair = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
            bytes += isLittle ? pair : pair.reversed()
        }
        for bytes in [bytes, Array(bytes.dropFirst(2))] {
            let message = Self.error {
                try SettingsResolver(
                    commandLine: [:], environment: [:], configFile: "/c", readFile: { _ in bytes }
                ).resolve()
            }
            #expect(message.hasPrefix("configuration file /c, line 1, column "), "\(message)")
            #expect(message.hasSuffix("it is UTF-16; save the file as UTF-8"), "\(message)")
        }
    }

    @Test("a configuration file that is asked for has to be there and be an object")
    func configurationFile() {
        #expect(Self.error { try Self.resolve(config: "/none") }.contains("no such file"))
        for text in ["", "[]", "{", #"{"listen": {"a": 1}}"#, #"{"listen": null}"#] {
            #expect(
                Self.error { try Self.resolve(config: "/c", files: ["/c": text]) } != "no error",
                "\(text)")
        }
    }
}
