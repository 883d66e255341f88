/// Numbers: how often each came, and their sum.
struct Spread: Mergeable {
    private(set) var count = 0
    private var devices = EventCount()
    private var values = NumberCounts()
    /// In units of 2^-60; nil where a number has finer bits, or the sum is too great: sum and mean are then
    /// not checked.
    private var sum: Int128? = 0

    private static let fractionBits: Int128 = 60

    init() {}

    mutating func insert(_ value: Double, of device: PreparedDevice) {
        count += 1
        devices.insertDevice(device)
        values.insert(value)
        guard let old = sum, let units = Self.units(of: value) else {
            sum = nil
            return
        }
        sum = Self.sum(old, units)
    }

    /// The number in units of 2^-60; nil where it is not a whole number of them, or 2^60 and more.
    private static func units(of value: Double) -> Int128? {
        // The product is exact: only the exponent changes.
        value.magnitude < 0x1p60 ? Int128(exactly: value * 0x1p60) : nil
    }

    private static func sum(_ a: Int128, _ b: Int128) -> Int128? {
        let (sum, isOver) = a.addingReportingOverflow(b)
        // What is left is room for 10^6 times a remainder.
        return isOver || sum.magnitude > 1 << 120 ? nil : sum
    }

    mutating func merge(_ other: Spread) {
        count += other.count
        devices.merge(other.devices)
        values.merge(other.values)
        if let a = sum, let b = other.sum { sum = Self.sum(a, b) } else { sum = nil }
    }

    /// From `count` to `max`.
    var figures: [Figure] {
        [
            .count(count), .count(devices.devices), total(per: 1),
            count == 0 ? .missing : total(per: count),
        ]
            + percentiles
    }

    /// Sum ÷ n with 6 decimals, halves away from 0, held within ±(2^53−1).
    private func total(per n: Int) -> Figure {
        guard let sum else { return .unchecked }
        let divisor = Int128(n) << Self.fractionBits
        let magnitude = Int128(sum.magnitude)
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: divisor)
        let million: Int128 = 1_000_000
        let units = min(
            whole * million + Decimals.rounded(rest * million, divisor),
            Decimals.greatest * million)
        return .number(Decimals.text(sum < 0 ? -units : units, decimals: 6))
    }

    private var percentiles: [Figure] {
        let order = values.sorted
        guard let first = order.first, let last = order.last else {
            return Array(repeating: .missing, count: 6)
        }
        var figures = [Figure.number(shortForm(first.value))]
        var passed = 0
        var index = 0
        for percent in [50, 90, 95, 99] {
            let rank = Decimals.rank(percent, of: count) ?? 0
            while passed + order[index].count <= rank {
                passed += order[index].count
                index += 1
            }
            figures.append(.number(shortForm(order[index].value)))
        }
        return figures + [.number(shortForm(last.value))]
    }
}
