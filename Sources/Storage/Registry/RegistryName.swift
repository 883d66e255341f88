import Database
import Sealing

/// Names of apps, keys and tokens.
package enum RegistryName {
    /// The longest, in octets.
    package static let longest = 32

    /// Whether it is `[A-Za-z0-9_-]{1,32}` (docs/protocol.md, Endpoints).
    package static func isValid(_ name: String) -> Bool {
        (1...longest).contains(name.utf8.count)
            && name.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    static func check(_ name: String) throws(StorageError) {
        guard isValid(name) else {
            throw .invalid(value: name, rule: "a name is 1 to 32 of A-Z, a-z, 0-9, _ and -")
        }
    }

    /// A fresh one: a letter, so that no command takes it for an option, and 16 hex digits.
    static func make(_ letter: Character) -> String {
        "\(letter)\(Hex.encode(RandomBytes.make(8).span))"
    }
}
