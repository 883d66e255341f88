import Events

/// What a standard event requires, as sets of `StandardAttribute`: bit n is the attribute of raw
/// value n.
struct Requirement {
    /// Has to be there.
    let required: UInt8
    /// Has to be of its form if it is there.
    let formed: UInt8

    init(_ event: StandardEvent) {
        required = Requirement.bit(event.required)
        formed = required | (event.optional.map(Requirement.bit) ?? 0)
    }

    static func bit(_ attribute: StandardAttribute) -> UInt8 { 1 << attribute.rawValue }
}

/// `StandardAttribute.Form` without payloads, as the hot path wants it.
struct FormBounds {
    enum Kind: UInt8 {
        case text
        case integer
        /// No form allows it.
        case other
    }

    private let kind: Kind
    private let lower: Int64
    private let upper: Int64

    init(_ form: StandardAttribute.Form) {
        switch form {
        case .text(let bytes):
            (kind, lower, upper) = (.text, Int64(bytes.lowerBound), Int64(bytes.upperBound))
        case .integer(let range):
            (kind, lower, upper) = (.integer, range.lowerBound, range.upperBound)
        }
    }

    /// Whether a string of so many bytes, or that integer, is of the form.
    @inline(__always)
    func allows(_ kind: Kind, _ measure: Int64) -> Bool {
        kind == self.kind && measure >= lower && measure <= upper
    }
}

/// What the interner of names remembers of each.
enum NameMark {
    static let unjudged: UInt8 = 0
    static let valid: UInt8 = 1
    static let invalid: UInt8 = 2
}
