import FoundationEssentials
import JSON

/// The configuration file: one JSON object, names as in `Setting.all`, values texts, numbers or
/// (for repeatable settings) arrays of texts.
enum ConfigurationFile {
    static func parse(_ octets: [UInt8], path: String) throws -> [String: [String]] {
        let members: [String: Member]
        do {
            try checkForm(octets)
            members = try JSONDecoder().decode([String: Member].self, from: Data(octets))
        } catch {
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
            guard let texts = member.value.texts else {
                throw SettingsError(
                    description: "setting \(member.key) from file \(path) is no text, integer "
                        + "or array of texts")
            }
            settings[member.key] = texts
        }
    }

    /// The decoder is lenient about commas and takes the last of two members; a file is not.
    private static func checkForm(_ octets: [UInt8]) throws(Malformed) {
        var scanner = Scanner()
        try scanner.reset(octets.span)
        try scanner.skipValue(octets.span)
        try scanner.finish(octets.span)
    }

    private struct Member: Decodable {
        /// Nil where the value is of no type that a setting has.
        let texts: [String]?

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int64.self) {
                texts = [String(number)]
            } else if let text = try? value.decode(String.self) {
                texts = [text]
            } else {
                texts = try? value.decode([String].self)
            }
        }
    }
}
