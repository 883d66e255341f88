/// What an answer must have in one cell.
enum Figure: Sendable, Equatable {
    /// `null`.
    case missing
    case text(String)
    /// A number in exactly these characters.
    case number(String)
    /// Any number from the one to the other.
    case between(String, String)
    /// An object of figures.
    case object([Member])
    /// Anything: too great, or too vague, to be known here.
    case unchecked

    struct Member: Sendable, Equatable {
        let name: String
        let figure: Figure
    }

    static func count(_ value: some BinaryInteger) -> Figure {
        .number(String(min(Int128(value), Decimals.greatest)))
    }

    static func count(from low: Int, to high: Int) -> Figure {
        low == high ? .count(low) : .between(String(low), String(high))
    }

    /// Milliseconds as seconds with 3 decimals.
    static func seconds(_ milliseconds: Int64) -> Figure {
        .number(Decimals.text(Int128(milliseconds), decimals: 3))
    }

    static func seconds(_ time: BoundedTime) -> Figure {
        guard time.low < time.high else { return .seconds(time.low) }
        return .between(
            Decimals.text(Int128(time.low), decimals: 3),
            Decimals.text(Int128(time.high), decimals: 3))
    }

    /// A ratio with 6 decimals, half up; `null` over 0.
    static func ratio(_ a: some BinaryInteger, _ b: some BinaryInteger) -> Figure {
        b == 0 ? .missing : .number(Decimals.ratio(Int128(a), Int128(b)))
    }
}

extension Figure {
    /// A ratio whose upper part is known within bounds.
    static func share(from low: Int, to high: Int, of total: Int) -> Figure {
        guard low < high, total > 0 else { return .ratio(low, total) }
        return .between(
            Decimals.ratio(Int128(low), Int128(total)), Decimals.ratio(Int128(high), Int128(total)))
    }
}

extension Names {
    /// `null`, or the text.
    func figure(_ id: NameID) -> Figure { self[id].map { .text($0) } ?? .missing }
}
