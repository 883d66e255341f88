/// Where the elements of a JSON array of scalars stand, as stored by us: no white space, no nesting, and
/// in `event.attributes` no brackets either. They are copied and compared as they are, so that nothing
/// is unescaped and escaped again.
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
        private var place = 0
        private var hasBegun = false

        /// At the first element.
        package init(_ form: Form) { self.form = form }

        /// The next element of `text`, which is the same at each call.
        package mutating func next(in text: Span<UInt8>) -> Step {
            let end = form == .bare ? text.count : text.count - 1
            if !hasBegun {
                hasBegun = true
                if form == .bracketed {
                    guard end >= 1, text[0] == UInt8(ascii: "["), text[end] == UInt8(ascii: "]")
                    else { return .broken }
                    place = 1
                }
                if place == end { return .end }
            } else {
                if place == end { return .end }
                guard place < end, text[place] == UInt8(ascii: ",") else { return .broken }
                place += 1
            }
            let start = place
            if start < end, text[start] == UInt8(ascii: "\"") {
                place += 1
                while place < end, text[place] != UInt8(ascii: "\"") {
                    place += text[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                place += 1
            } else {
                while place < end, text[place] != UInt8(ascii: ",") { place += 1 }
            }
            guard place > start, place <= end else { return .broken }
            return .element(start..<place)
        }
    }

    /// Ranges of the elements, strings with their quotes; nothing where the text is no such array.
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

    /// The element of a bracketed array at a place, counted from 0, or the place behind the last one.
    package static func element(_ place: Int, in text: Span<UInt8>) -> Step {
        var walk = Walk(.bracketed)
        var left = place
        while true {
            let step = walk.next(in: text)
            guard case .element = step, left > 0 else { return step }
            left -= 1
        }
    }
}
