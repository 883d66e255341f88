/// Classes of bytes, each as a set of 128 bits; nothing above 0x7F is in any of them.
///
/// Bit sets and not tables: no global array to initialise, no bounds check, two shifts a byte.
package struct CharacterClass: Sendable {
    private let low: UInt64
    private let high: UInt64

    private init(_ low: UInt64, _ high: UInt64) {
        self.low = low
        self.high = high
    }

    /// `true` if the byte is in the class.
    @inline(__always)
    package func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return (low >> UInt64(byte)) & 1 == 1 }
        return byte < 128 && (high >> UInt64(byte & 63)) & 1 == 1
    }

    /// `tchar` (RFC 9110 §5.6.2): methods, field names, transfer codings, extension names.
    package static var token: CharacterClass {
        @inline(__always) get { .init(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE) }
    }

    /// `pchar`, `/`, `?` and `%` (RFC 3986 §3.3, §3.4): what a path with its query is made of.
    package static var target: CharacterClass {
        @inline(__always) get { .init(0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF) }
    }

    /// The same and brackets: targets in absolute or authority form may hold an IPv6 literal.
    package static var authorityTarget: CharacterClass {
        @inline(__always) get { .init(0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_AFFF_FFFF) }
    }

    /// `reg-name` but for `%` (RFC 3986 §3.2.2).
    package static var registeredName: CharacterClass {
        @inline(__always) get { .init(0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE) }
    }

    /// `HEXDIG`, both cases.
    package static var hexDigit: CharacterClass {
        @inline(__always) get { .init(0x03FF_0000_0000_0000, 0x0000_007E_0000_007E) }
    }

    /// The characters between the brackets of an IPv6 literal (RFC 3986 §3.2.2).
    package static var addressLiteral: CharacterClass {
        @inline(__always) get { .init(0x07FF_4000_0000_0000, 0x0000_007E_0000_007E) }
    }

    /// `true` for what a field value may hold: `VCHAR`, `obs-text`, space and tab (RFC 9110 §5.5).
    @inline(__always)
    package static func isFieldContent(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == Byte.tab
    }

    /// `true` for `DIGIT`.
    @inline(__always)
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
