/// The days on which each of many devices was active: one bit for each device and day.
struct DayMatrix: ReportShare {
    private var codes: RowCodes
    private let words: Int
    private var bits: [UInt64] = []
    private var held: HeldBytes

    /// - Parameters:
    ///   - days: how many days there are; they are numbered from 0
    ///   - account: of the report
    init(days: Int, _ account: ReportAccount = .unbounded) {
        words = max(1, (days + 63) / 64)
        codes = RowCodes(account)
        held = HeldBytes(account)
    }

    /// The rows of the devices, in order of appearance.
    var devices: [Int64] { codes.rows }

    /// Marks a device as active on a day.
    @inline(__always)
    mutating func insert(_ device: Int64, _ day: Int) {
        bits[code(of: device) * words + (day >> 6)] |= 1 << UInt64(day & 63)
    }

    /// The index + 1 of a device in `devices` (`RowCodes.entry`).
    @inline(__always)
    func entry(of device: Int64) -> Int { codes.entry(of: device) }

    /// Reads what `insert` looks at, of a device by its index in `devices`.
    @inline(__always)
    func look(_ index: Int, _ day: Int) -> Int64 {
        Int64(bitPattern: bits[index * words + (day >> 6)])
    }

    /// How many devices there are.
    var count: Int { codes.count }

    /// The index of a device in `devices`; nil where it was active on no day.
    @inline(__always)
    func index(of device: Int64) -> Int? { codes.known(device) }

    /// The number of a device, for which it reserves bits.
    @inline(__always)
    private mutating func code(of device: Int64) -> Int {
        let code = codes.code(of: device)
        if (code + 1) * words > bits.count { grow() }
        return code
    }

    @inline(never)
    private mutating func grow() {
        let more = max(words * 64, bits.count / 4)
        bits.append(repeating: 0, more, &held)
    }

    mutating func merge(_ other: DayMatrix) {
        for (index, device) in other.devices.enumerated() {
            let code = code(of: device)
            for word in 0..<words { bits[code * words + word] |= other.bits[index * words + word] }
        }
    }

    /// Calls `body` with the days of a device, by its index in `devices`, in ascending order.
    @inline(__always)
    func forEachDay(of index: Int, _ body: (Int) -> Void) {
        for word in 0..<words {
            var rest = bits[index * words + word]
            while rest != 0 {
                body(word * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
