@testable import Service

/// docs/settings.md and the settings of the man page, made of the table of settings.
enum SettingsPage {
    /// docs/settings.md.
    static var markdown: String {
        """
        # Settings

        <!-- Made from the table in Sources/Service/Settings/SettingKeys.swift by `make docs`; a test compares. -->

        A setting is taken from the first of these that has it:

        1. the command line: `--max-body-bytes 2MiB`
        2. the environment: `SOJOURN_MAX_BODY_BYTES=2MiB`; several addresses with commas
        3. a file, `--config FILE` or `SOJOURN_CONFIG`: one JSON object with the same names, `{"listen": ["127.0.0.1:8080"], "max-body-bytes": "2MiB"}`. Without either, `/etc/sojourn/config.json` if it is there
        4. the default

        `sojourn check-config` shows the outcome and where each value came from. Sizes are whole numbers of bytes, or have `KiB`, `MiB` or `GiB`. Durations have `ms`, `s`, `m`, `h` or `d`. An address is `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`.

        | setting | default | may be | meaning |
        |---|---|---|---|
        \(Setting.all.map(row).joined(separator: "\n"))

        """
    }

    /// The same as roff, `man(7)`, for a section of a manual page.
    static var roff: String {
        Setting.all.map { setting in
            let name = roffText("--\(setting.name)")
            let fallback = setting.fallback.map { " Default: \($0)." } ?? ""
            let help = "\(sentence(setting.help)) Takes \(setting.kind.expectation).\(fallback)"
            return ".TP\n\\fB\(name)\\fR, \\fB\(setting.variable)\\fR\n\(roffText(help))\n"
        }.joined()
    }

    private static func row(_ setting: Setting) -> String {
        let fallback = setting.fallback.map { "`\($0)`" } ?? ""
        let more = setting.isRepeatable ? "; may be given several times" : ""
        return
            "| `\(setting.name)` | \(fallback) | \(setting.kind.range)\(more) | \(setting.help) |"
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// Hyphens that are minus signs, and no line that begins a request of its own.
    private static func roffText(_ text: String) -> String {
        var out = ""
        for character in text {
            switch character {
            case "\\": out += "\\e"
            case "-": out += "\\-"
            default: out.append(character)
            }
        }
        return out.hasPrefix(".") || out.hasPrefix("'") ? "\\&" + out : out
    }
}

extension SettingKind {
    /// Its values in short, for a table.
    var range: String {
        switch self {
        case .text: "a text"
        case .path: "a path"
        case .address(let mayBeOff): "an address" + (mayBeOff ? ", `off`" : "")
        case .engine: "URLs"
        case .origin: "origins, or `*`"
        case .name(let form): "`\(form.rawValue)`"
        case .size(let range, let mayBeOff):
            "\(SizeText.text(bytes: range.lowerBound)) … \(SizeText.text(bytes: range.upperBound))"
                + (mayBeOff ? ", `off`" : "")
        case .count(let range, let mayBeOff):
            "\(range.lowerBound) … \(range.upperBound)" + (mayBeOff ? ", `off`" : "")
        case .duration(let range, let mayBeOff):
            "\(DurationText.text(milliseconds: range.lowerBound)) … "
                + DurationText.text(milliseconds: range.upperBound) + (mayBeOff ? ", `off`" : "")
        case .choice(let names): names.map { "`\($0)`" }.joined(separator: ", ")
        }
    }
}
