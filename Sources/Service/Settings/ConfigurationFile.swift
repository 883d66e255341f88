import FoundationEssentials
import JSON

/// The configuration file: one JSON object, names as in `Setting.all`, values texts, numbers or
/// (for repeatable settings) arrays of texts. A byte order mark before it is passed over.
enum ConfigurationFile {
    static func parse(_ bytes: [UInt8], path: String) throws -> [String: [String]] {
        let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        let isObject: Bool
        do throws(Malformed) {
            isObject = try isWellFormedObject(bytes)
        } catch {
            throw SettingsError(
                description: "configuration file \(path), "
                    + ConfigurationFault(error, in: bytes).description)
        }
        guard isObject,
            let members = try? JSONDecoder().decode([String: Member].self, from: Data(bytes))
        else {
            throw SettingsError(
                description: "configuration file \(path) is not one JSON object of settings, "
                    + "such as {\"listen\": [\"127.0.0.1:8080\"], \"max-body-bytes\": \"1MiB\"}")
        }
        for name in members.keys.sorted() where Setting.byName[name] == nil {
            throw SettingsError(
                description:
                    "unknown setting \(Printable.text(String(name.prefix(64)))) in file \(path); "
                    + "'sojourn check-config' lists those there are")
        }
        return try members.reduce(into: [:]) { settings, member in
            // Looked for above.
            guard let setting = Setting.byName[member.key] else { return }
            settings[member.key] = try texts(member.value, of: setting, path: path)
        }
    }

    /// U+FEFF, which editors on Windows put before a text.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The texts of a value that may stand for the setting: numbers are for what counts, arrays for
    /// what may be given several times.
    private static func texts(
        _ value: Member, of setting: Setting, path: String
    ) throws -> [String] {
        switch value {
        case .text(let text): return [text]
        case .number(let number) where setting.kind.isNumeric: return [String(number)]
        case .texts(let texts) where setting.isRepeatable: return texts
        case .number, .texts, .other:
            throw SettingsError(
                description: "setting \(setting.name) from file \(path) is not "
                    + setting.kind.expectation
                    + (setting.isRepeatable ? ", or an array of such texts" : ""))
        }
    }

    /// The decoder is lenient about commas and takes the last of two members; a file is not.
    private static func isWellFormedObject(_ bytes: [UInt8]) throws(Malformed) -> Bool {
        var scanner = Scanner()
        try scanner.reset(bytes.span)
        let value = try scanner.value(bytes.span)
        try scanner.skipRest(of: value, bytes.span)
        try scanner.finish(bytes.span)
        return value.kind == .object
    }

    private enum Member: Decodable {
        case number(Int64)
        case text(String)
        case texts([String])
        /// Of no type that a setting has.
        case other

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int64.self) {
                self = .number(number)
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else {
                self = (try? value.decode([String].self)).map(Member.texts) ?? .other
            }
        }
    }
}
