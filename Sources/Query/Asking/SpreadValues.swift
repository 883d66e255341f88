/// By what numbers are put together besides the bucket.
package enum NumberGrouping: Hashable, Sendable {
    /// One of `ResourceFilter.dimensions`, as the event's batch says.
    case resource(String)
    /// The value of another attribute of the event, by its key.
    case attribute(ByteText)
}

/// How the numbers spread that events have for one attribute.
package struct NumberSpreads: Sendable {
    /// Of each bucket, and of each value that they are put together by.
    package var spreads: [NumberSpread]
    /// Events of the name that have no number there.
    package var withoutNumber: Int
    /// What the spreads take, and the rows that are made of them: charged as long as there are these.
    private let room: HeldBytes?

    /// Spreads, and how many events are in none.
    /// - Parameter room: nil where nobody counts what a report holds
    package init(spreads: [NumberSpread], withoutNumber: Int, room: HeldBytes? = nil) {
        self.spreads = spreads
        self.withoutNumber = withoutNumber
        self.room = room
    }
}

/// How some numbers spread.
package struct NumberSpread: Hashable, Sendable {
    /// Index of the bucket; 0 where none were asked for.
    package var bucket: Int
    /// The value they are put together by; nil for events without it, and where they are not put together.
    package var name: ByteText?
    package var count: Int
    /// Devices that are not shared.
    package var devices: Int
    /// Millionths of the exact sum of the numbers, each as the double nearest to it, and of that sum ÷ `count`: each
    /// rounded once, halves away from 0, then held within ±(2^53−1). There is no mean without numbers.
    package var sum: Int128
    package var mean: Int128?
    /// Nil without numbers.
    package var least, greatest: Double?
    /// The nearest ranks that were asked for; nil without numbers.
    package var ranks: [Double?]

    /// One without numbers, for as many ranks.
    package init(bucket: Int, name: ByteText? = nil, ranks: Int) {
        self.bucket = bucket
        self.name = name
        (count, devices, sum) = (0, 0, 0)
        self.ranks = [Double?](repeating: nil, count: ranks)
    }
}

/// What happened in one hour of the week.
package struct HourSums: Hashable, Sendable {
    package var events = 0
    /// Devices that are not shared and sent one of them.
    package var devices = 0
    /// Sessions that began.
    package var sessions = 0

    /// Nothing.
    package init() {}
}

/// Sessions of some lengths.
package struct LengthSums: Hashable, Sendable {
    package var sessions = 0
    /// Devices that are not shared and began one of them.
    package var devices = 0

    /// None.
    package init() {}
}
