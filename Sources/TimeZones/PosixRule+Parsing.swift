extension PosixRule {
    /// `std offset [dst [offset] , start [/time] , end [/time]]`, names in letters or `<…>`, times
    /// of −167 to 167 hours (RFC 9636 §3.3.1); nothing where the text is anything else.
    init?(parsing text: [UInt8]) {
        var reader = Reader(text: text)
        guard reader.name(), let standard = reader.offset() else { return nil }
        self.standard = -standard
        if reader.isAtEnd {
            daylight = nil
            return
        }
        guard reader.name() else { return nil }
        var offset = self.standard + 3600
        if reader.peek != 0x2C {
            guard let given = reader.offset() else { return nil }
            offset = -given
        }
        guard let start = reader.change(), let end = reader.change(), reader.isAtEnd else {
            return nil
        }
        daylight = Daylight(offset: offset, start: start, end: end)
    }

    /// Reads the text from left to right.
    private struct Reader {
        let text: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == text.count }
        var peek: UInt8? { position < text.count ? text[position] : nil }

        mutating func take(_ byte: UInt8) -> Bool {
            guard peek == byte else { return false }
            position += 1
            return true
        }

        mutating func name() -> Bool {
            let start = position
            if take(0x3C) {
                while let byte = peek, byte != 0x3E { position += byte == 0x3C ? text.count : 1 }
                return take(0x3E) && position - start >= 5
            }
            while let byte = peek, (0x41...0x5A).contains(byte & 0xDF) { position += 1 }
            return position - start >= 3
        }

        mutating func number(upTo limit: Int) -> Int? {
            let start = position
            var value = 0
            while let byte = peek, (0x30...0x39).contains(byte), position - start < 3 {
                value = value * 10 + Int(byte - 0x30)
                position += 1
            }
            return position > start && value <= limit ? value : nil
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time(hours limit: Int) -> Int? {
            let sign = take(0x2D) ? -1 : 1
            if sign == 1 { _ = take(0x2B) }
            guard let hours = number(upTo: limit) else { return nil }
            var seconds = hours * 3600
            if take(0x3A) {
                guard let minutes = number(upTo: 59) else { return nil }
                seconds += minutes * 60
                if take(0x3A) {
                    guard let rest = number(upTo: 59) else { return nil }
                    seconds += rest
                }
            }
            return sign * seconds
        }

        mutating func offset() -> Int? { time(hours: 24) }

        /// `,date[/time]`
        mutating func change() -> Change? {
            guard take(0x2C), let day = day() else { return nil }
            guard take(0x2F) else { return Change(day: day, seconds: 7200) }
            guard let seconds = time(hours: 167) else { return nil }
            return Change(day: day, seconds: seconds)
        }

        mutating func day() -> Day? {
            if take(0x4A) {
                guard let day = number(upTo: 365), day >= 1 else { return nil }
                return .julian(day)
            }
            if take(0x4D) {
                guard let month = number(upTo: 12), month >= 1, take(0x2E),
                    let week = number(upTo: 5), week >= 1, take(0x2E), let day = number(upTo: 6)
                else { return nil }
                return .weekday(month: month, week: week, day: day)
            }
            return number(upTo: 365).map(Day.ordinal)
        }
    }
}
