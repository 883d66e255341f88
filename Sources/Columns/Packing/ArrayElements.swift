/// The ranges of the elements of a JSON array of scalars, as stored by us: no white space, no nesting,
/// and in `event.attributes` no brackets either. They are copied and compared as they are, so that
/// nothing is unescaped and escaped again.
package enum ArrayElements {
    /// How the array is written.
    package enum Form {
        /// `["a",1]`
        case bracketed
        /// `"a",1`
        case bare
    }

    /// What comes next in an array.
    package enum Step {
        /// An element; a string with its quotes.
        case element(Range<Int>)
        /// The array has ended.
        case end
        /// The text is no such array.
        case broken
    }

    /// Goes through an array, one element after the other, and keeps none of them.
    package struct Walk {
        private let form: Form
        private var offset = 0
        private var hasBegun = false

        /// At the first element.
        package init(_ form: Form) { self.form = form }

        /// The next element of `text`, which must be the same at each call.
        package mutating func next(in text: Span<UInt8>) -> Step {
            let end = form == .bare ? text.count : text.count - 1
            if !hasBegun {
                hasBegun = true
                if form == .bracketed {
                    guard end >= 1, text[0] == UInt8(ascii: "["), text[end] == UInt8(ascii: "]")
                    else { return .broken }
                    offset = 1
                }
                if offset == end { return .end }
            } else {
                if offset == end { return .end }
                guard offset < end, text[offset] == UInt8(ascii: ",") else { return .broken }
                offset += 1
            }
            let start = offset
            if start < end, text[start] == UInt8(ascii: "\"") {
                offset += 1
                while offset < end, text[offset] != UInt8(ascii: "\"") {
                    offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
                }
                offset += 1
            } else {
                while offset < end, text[offset] != UInt8(ascii: ",") { offset += 1 }
            }
            guard offset > start, offset <= end else { return .broken }
            return .element(start..<offset)
        }
    }

    /// Ranges of the elements, strings with their quotes; nil where the text is no such array.
    package static func ranges(in text: Span<UInt8>, _ form: Form) -> [Range<Int>]? {
        var walk = Walk(form)
        var ranges: [Range<Int>] = []
        while true {
            switch walk.next(in: text) {
            case .element(let range): ranges.append(range)
            case .end: return ranges
            case .broken: return nil
            }
        }
    }

    /// The element of a bracketed array at an index, or `end` after the last one.
    package static func element(_ index: Int, in text: Span<UInt8>) -> Step {
        var walk = Walk(.bracketed)
        var left = index
        while true {
            let step = walk.next(in: text)
            guard case .element = step, left > 0 else { return step }
            left -= 1
        }
    }
}
