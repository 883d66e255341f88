import Sockets

/// The type of a setting's value, and so what a text must look like to be one.
package enum SettingKind: Sendable, Equatable {
    case text
    /// A path in the file system.
    case path
    /// `host:port`, `[v6]:port` or `unix:/path`; `off` where `mayBeOff`.
    case address(mayBeOff: Bool)
    /// Bytes: an integer, or one with KiB, MiB or GiB.
    case size(ClosedRange<Int64>)
    /// A plain number; `off` where `mayBeOff`.
    case count(ClosedRange<Int64>, mayBeOff: Bool = false)
    /// Milliseconds: an integer with ms, s, m, h or d; `off` where `mayBeOff`.
    case duration(ClosedRange<Int64>, mayBeOff: Bool = false)
    case choice([String])

    /// Whether a number without a unit is a value of it.
    var isNumeric: Bool {
        switch self {
        case .size, .count: true
        case .text, .path, .address, .duration, .choice: false
        }
    }

    /// What a right value looks like, for error messages and the documentation.
    package var expectation: String {
        switch self {
        case .text: "a text"
        case .path: "a path"
        case .address(let mayBeOff):
            "a numeric address with its port, such as 127.0.0.1:8080 or [::1]:8080, or unix:/path"
                + (mayBeOff ? ", or off" : "")
        case .size(let range):
            "a size such as 65536, 64KiB or 8MiB, from \(range.lowerBound) to \(range.upperBound)"
        case .count(let range, let mayBeOff):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
                + (mayBeOff ? ", or off" : "")
        case .duration(let range, let mayBeOff):
            "a duration such as 500ms, 30s, 15m, 24h or 400d, from "
                + DurationText.text(milliseconds: range.lowerBound) + " to "
                + DurationText.text(milliseconds: range.upperBound) + (mayBeOff ? ", or off" : "")
        case .choice(let names): "one of " + names.joined(separator: ", ")
        }
    }

    /// Why a text is no value of it, as the end of "setting NAME from SOURCE …".
    func objection(to text: String) -> String {
        if case .address = self, let length = ListenAddress.overlongPath(in: text) {
            return "has a path of \(length) octets, and that of a socket has at most "
                + "\(ListenAddress.maxPathLength); use a shorter one"
        }
        return "is not \(expectation)"
    }
}
