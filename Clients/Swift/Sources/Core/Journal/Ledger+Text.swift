extension Ledger {
    private static let opening = "sojourn-ledger 1"
    /// The largest number that is read: none is reached by counting, and no sum of a few leaves 64 bits.
    private static let maxNumber: Int64 = 1 << 50
    /// Contents that are remembered.
    package static let maxContents = 1000

    /// The text of the file: a line for each member, and a checksum.
    package var text: [UInt8] {
        var lines = [
            Self.opening, "installation \(installation)", "serial \(serial)",
            "sequence \(nextSequence)",
            "counts \(counts.accepted) \(counts.rejected) \(counts.dropped) \(counts.deleted)",
            "unreported \(unreported)", "enabled \(isEnabled ? 1 : 0)", "floor \(floor)",
        ]
        for cursor in cursors { lines.append("cursor \(cursor.segment) \(cursor.offset)") }
        if let frozen {
            lines.append(
                "frozen \(frozen.segment) \(frozen.range.lowerBound) \(frozen.range.upperBound)"
                    + " \(frozen.events) \(frozen.sequence) \(frozen.dropped) \(frozen.batchID)")
            if frozen.tooLarge != 0 { lines.append("toolarge \(frozen.tooLarge)") }
        }
        if let undone {
            lines.append(
                "undone \(undone.segment) \(undone.range.lowerBound) \(undone.range.upperBound)"
                    + " \(undone.events) \(undone.cap)")
        }
        var out: [UInt8] = []
        for line in lines {
            out += line.utf8
            out.append(UInt8(ascii: "\n"))
        }
        out += "wait \(wait.failures) \(wait.until) \(wait.span) ".utf8
        Hex.append(wait.held, to: &out)
        out += "\ncontents".utf8
        for content in contents {
            out.append(UInt8(ascii: " "))
            Hex.append(content, to: &out)
        }
        if forgotten != 0 {
            out += "\nforgotten ".utf8
            Hex.append(forgotten, to: &out)
        }
        out += "\ncrc ".utf8
        Hex.append(CRC32.checksum(out[...]), to: &out)
        out.append(UInt8(ascii: "\n"))
        return out
    }

    /// Reads the file; nil where it is damaged.
    package init?(text: [UInt8]) {
        // "crc ", eight digits and a line feed.
        guard text.count > 13, text.last == UInt8(ascii: "\n"),
            Hex.isText(
                text[(text.count - 9)..<(text.count - 1)],
                of: CRC32.checksum(text[..<(text.count - 9)]))
        else { return nil }
        var lines = text[..<(text.count - 13)].split(separator: UInt8(ascii: "\n"))[...]
        guard lines.popFirst()?.elementsEqual(Self.opening.utf8) == true else { return nil }
        self.init(installation: "")
        for line in lines {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard let name = fields.first, read(name, fields.dropFirst()) else { return nil }
        }
        guard installation.utf8.count == 36, highestSegment <= Segment.maxNumber else { return nil }
    }

    private mutating func read(
        _ name: ArraySlice<UInt8>, _ fields: ArraySlice<ArraySlice<UInt8>>
    ) -> Bool {
        if name.elementsEqual("contents".utf8) {
            contents = fields.compactMap(Hex.value)
            return contents.count == fields.count
        }
        if name.elementsEqual("forgotten".utf8) {
            forgotten = fields.first.flatMap(Hex.value) ?? 0
            return fields.count == 1 && forgotten != 0
        }
        if name.elementsEqual("installation".utf8) {
            installation = fields.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
            return fields.count == 1
        }
        func number(_ field: ArraySlice<UInt8>) -> Int64? {
            Decimal.value(field).flatMap { $0 <= Self.maxNumber ? $0 : nil }
        }
        let numbers = fields.prefix { number($0) != nil }.compactMap(number)
        let rest = fields.dropFirst(numbers.count)
        func range() -> Range<Int>? {
            guard let start = Int(exactly: numbers[1]), let end = Int(exactly: numbers[2]) else {
                return nil
            }
            return start <= end ? start..<end : nil
        }
        switch (String(decoding: name, as: UTF8.self), numbers.count, rest.count) {
        case ("serial", 1, 0): serial = numbers[0]
        case ("sequence", 1, 0): nextSequence = numbers[0]
        case ("counts", 4, 0):
            counts = Counts(
                accepted: numbers[0], rejected: numbers[1], dropped: numbers[2],
                deleted: numbers[3])
        case ("unreported", 1, 0): unreported = numbers[0]
        case ("enabled", 1, 0): isEnabled = numbers[0] == 1
        case ("floor", 1, 0): floor = numbers[0]
        case ("cursor", 2, 0):
            guard let offset = Int(exactly: numbers[1]) else { return false }
            cursors.append(Cursor(segment: numbers[0], offset: offset))
        case ("frozen", 6, 1):
            guard let range = range(), let id = rest.first else { return false }
            frozen = Frozen(
                segment: numbers[0], range: range, events: numbers[3],
                batchID: String(decoding: id, as: UTF8.self), sequence: numbers[4],
                dropped: numbers[5])
        case ("toolarge", 1, 0) where frozen != nil: frozen?.tooLarge = numbers[0]
        case ("undone", 5, 0):
            guard let range = range() else { return false }
            undone = Undone(
                segment: numbers[0], range: range, events: numbers[3], cap: max(1, numbers[4]))
        case ("wait", 3...4, _):
            // A hash of digits alone reads as a number, too, where it is small enough.
            guard fields.count == 4, let last = fields.last, let held = Hex.value(last) else {
                return false
            }
            wait = Wait(failures: numbers[0], until: numbers[1], span: numbers[2], held: held)
        default: return false
        }
        return true
    }

    /// Whether a content is completed for the first time; from now on it is remembered.
    package mutating func complete(_ content: String) -> Bool {
        let hash = Self.hash(content)
        guard !contents.contains(hash) else { return false }
        contents.append(hash)
        if contents.count > Self.maxContents {
            contents.removeFirst(contents.count - Self.maxContents)
        }
        return true
    }

    /// FNV-1a of 64 bits: two of a thousand ids are taken for one another once in 10^13.
    package static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
