/// On which of some days each of many devices was active: a bit a device and day.
struct DayMatrix: ReportShare {
    private var codes: RowCodes
    private let words: Int
    private var bits: [UInt64] = []
    private var held: HeldOctets

    /// - Parameters:
    ///   - days: how many; they are numbered from 0
    ///   - account: of the report
    init(days: Int, _ account: ReportAccount = .unbounded) {
        words = max(1, (days + 63) / 64)
        codes = RowCodes(account)
        held = HeldOctets(account)
    }

    /// Devices, by their rows, in order of appearance.
    var devices: [Int64] { codes.rows }

    /// Notes that a device was active on a day.
    @inline(__always)
    mutating func insert(_ device: Int64, _ day: Int) {
        let code = codes.code(of: device)
        if (code + 1) * words > bits.count {
            let more = max(words * 1024, bits.count / 2)
            if bits.count + more > bits.capacity { bits.grow(more, &held) }
            bits += repeatElement(0, count: more)
        }
        bits[code * words + (day >> 6)] |= 1 << UInt64(day & 63)
    }

    mutating func merge(_ other: DayMatrix) {
        for place in other.devices.indices {
            other.forEachDay(of: place) { insert(other.devices[place], $0) }
        }
    }

    /// Calls `body` with the days of a device, by its place in `devices`, ascending.
    @inline(__always)
    func forEachDay(of place: Int, _ body: (Int) -> Void) {
        for word in 0..<words {
            var rest = bits[place * words + word]
            while rest != 0 {
                body(word * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
