/// Finds every setting's value: command line over environment over configuration file over default
/// (docs/operation.md, Settings). Pure but for the one file that it is given to read.
package struct SettingsResolver {
    /// `--listen` twice gives two texts under `listen`.
    package var commandLine: [String: [String]]
    package var environment: [String: String]
    /// From `--config`; else `SOJOURN_CONFIG`, else the system's file if it is there.
    package var configFile: String?
    package var systemConfigFile = "/etc/sojourn/config.json"
    /// A file's bytes, nil where there is none.
    package var readFile: (String) throws -> [UInt8]?

    package init(
        commandLine: [String: [String]], environment: [String: String], configFile: String?,
        readFile: @escaping (String) throws -> [UInt8]?
    ) {
        self.commandLine = commandLine
        self.environment = environment
        self.configFile = configFile
        self.readFile = readFile
    }

    package func resolve() throws -> Settings {
        try refuseUnknownVariables()
        let (file, path) = try configuration()
        var values: [String: (value: SettingValue, source: SettingSource)] = [:]
        for setting in Setting.all {
            if let given = try given(setting, file: file, path: path) {
                values[setting.name] = given
            }
        }
        return try Settings(
            values: values,
            credentials: environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 })
    }

    private func given(
        _ setting: Setting, file: [String: [String]], path: String
    ) throws -> (value: SettingValue, source: SettingSource)? {
        var sources: [(SettingSource, [String])] = []
        if let texts = commandLine[setting.name], !texts.isEmpty {
            sources.append((.commandLine, texts))
        }
        if let text = environment[setting.variable] {
            let texts =
                setting.isRepeatable
                ? text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                : [text]
            sources.append((.environment(variable: setting.variable), texts))
        }
        if let texts = file[setting.name] { sources.append((.file(path: path), texts)) }
        // An ill-typed value is refused even where a stronger source hides it: it would come to light
        // at a worse moment.
        let given = try sources.map { source, texts in
            (value: try value(of: setting, texts, from: source), source: source)
        }
        if let strongest = given.first { return strongest }
        if setting.name == "data",
            let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first
        {
            return (.text(String(folder)), .systemd(variable: "STATE_DIRECTORY"))
        }
        if let credential = Self.credentials[setting.name],
            let folder = environment["CREDENTIALS_DIRECTORY"],
            try readFile(folder + "/" + credential) != nil
        {
            return (.text(folder + "/" + credential), .systemd(variable: "CREDENTIALS_DIRECTORY"))
        }
        guard let fallback = setting.fallback else { return nil }
        return (try value(of: setting, [fallback], from: .fallback), .fallback)
    }

    /// Settings whose files systemd may hand over, by the names of its credentials.
    private static let credentials = [
        "master-key-file": "master.key", "forward-password-file": "forward-password",
    ]

    private func value(
        of setting: Setting, _ texts: [String], from source: SettingSource
    ) throws -> SettingValue {
        let parsed = try texts.map { text in
            guard let value = SettingParser.parse(text, as: setting.kind) else {
                throw SettingsError(
                    description:
                        "setting \(setting.name) from \(source) \(setting.kind.objection(to: text))"
                )
            }
            return value
        }
        if !setting.isRepeatable {
            guard let last = parsed.last, source == .commandLine || parsed.count == 1 else {
                throw SettingsError(
                    description: "setting \(setting.name) from \(source) takes one value")
            }
            return last
        }
        if parsed == [.off] { return .off }
        let addresses = parsed.compactMap { if case .text(let text) = $0 { text } else { nil } }
        guard !addresses.isEmpty, addresses.count == parsed.count else {
            throw SettingsError(
                description:
                    "setting \(setting.name) from \(source) is not \(setting.kind.expectation)")
        }
        return .texts(addresses)
    }

    /// `SOJOURN_CONFIG` and `SOJOURN_TOKEN` stand for options.
    private func refuseUnknownVariables() throws {
        let known = Set(Setting.all.map(\.variable)).union(["SOJOURN_CONFIG", "SOJOURN_TOKEN"])
        for name in environment.keys.sorted() where name.hasPrefix("SOJOURN_") {
            if !known.contains(name), !Self.isOfCluster(name) {
                throw SettingsError(
                    description: "unknown setting in environment variable \(name); "
                        + "'sojourn check-config' lists those there are")
            }
        }
    }

    /// Whether a variable is one of those that clusters put into every process for a service whose name begins with
    /// `sojourn`: `…_SERVICE_HOST`, `…_SERVICE_PORT`, `…_SERVICE_PORT_NAME`, `…_PORT`, and `…_PORT_N_TCP`, `_UDP` or
    /// `_SCTP`, by itself and with `_PROTO`, `_PORT` or `_ADDR`.
    private static func isOfCluster(_ name: String) -> Bool {
        var words = name.split(separator: "_", omittingEmptySubsequences: false)[1...]
        if words.last == "PORT" || words.suffix(2).elementsEqual(["SERVICE", "HOST"]) {
            return true
        }
        for index in words.indices where words[index...].starts(with: ["SERVICE", "PORT"]) {
            let port = words[(index + 2)...]
            if !port.isEmpty, port.allSatisfy({ !$0.isEmpty }) { return true }
        }
        if words.last == "PROTO" || words.last == "ADDR" { words.removeLast() }
        let port = Array(words.suffix(3))
        return port.count == 3 && port[0] == "PORT" && !port[1].isEmpty
            && port[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
            && ["TCP", "UDP", "SCTP"].contains(port[2])
    }

    private func configuration() throws -> (settings: [String: [String]], path: String) {
        let asked = configFile ?? environment["SOJOURN_CONFIG"]
        let path = asked ?? systemConfigFile
        let bytes: [UInt8]?
        do { bytes = try readFile(path) } catch {
            throw SettingsError(description: "cannot read configuration file \(path): \(error)")
        }
        guard let bytes else {
            if asked == nil { return ([:], path) }
            throw SettingsError(description: "cannot read configuration file \(path): no such file")
        }
        return (try ConfigurationFile.parse(bytes, path: path), path)
    }
}

/// A setting that cannot be used: exit 78 (docs/operation.md, Exit codes). The text is one line and
/// names the setting, where it came from and what would be right.
package struct SettingsError: Error, CustomStringConvertible, Equatable {
    package let description: String
}
