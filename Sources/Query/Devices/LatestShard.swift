import Database

/// The latest event of each device of a bucket.
struct LatestShard: DeviceShard {
    /// A device's latest event in a batch, or that it is new.
    struct Item: DeviceKeyed {
        let device: Int64
        let time: Int64
        let resource: Int64

        init(device: Int64, time: Int64, resource: Int64) {
            self.device = device
            self.time = time
            self.resource = resource
        }

        init(newcomer device: Int64) {
            self.device = device
            (time, resource) = (Latest.never, 0)
        }
    }

    /// The time of a device's latest event, and the resource of its batch. In 16 bytes: a shard should stay in
    /// a processor's cache.
    struct Latest {
        // Times have 54 bits. The lowest bit says whether the device is new.
        private var moment: Int64
        var resource: Int64

        /// Before all times.
        static let never = Int64.min >> 1
        /// Of a device without an event.
        static let none = Latest()

        private init() { (moment, resource) = (Self.never &<< 1, 0) }

        var time: Int64 { moment >> 1 }

        /// Whether the device has an event.
        var isThere: Bool { time != Self.never }

        /// Takes a later event.
        @inline(__always)
        mutating func take(_ item: Item) {
            moment = item.time &<< 1 | moment & 1
            resource = item.resource
        }

        var isNew: Bool {
            get { moment & 1 == 1 }
            set { moment = moment & ~1 | (newValue ? 1 : 0) }
        }
    }

    /// A batch with an event at the time of what was then the latest.
    private struct Tie {
        let number: Int
        let time: Int64
        let resource: Int64
    }

    private var devices: RowValues<Latest>
    private var ties: [Tie] = []
    private var held: HeldBytes

    init(_ account: ReportAccount) {
        devices = RowValues(account)
        held = HeldBytes(account)
    }

    /// The latest event of each device, by its number.
    var latest: [Latest] { devices.all }

    mutating func add(_ item: Item, row: Int64) {
        let number = devices.number(of: row, new: .none)
        let last = devices[number].time
        if last < item.time {
            devices[number].take(item)
        } else if item.time == Latest.never {
            devices[number].isNew = true
        } else if last == item.time, devices[number].resource != item.resource {
            ties.append(Tie(number: number, time: item.time, resource: item.resource), &held)
        }
    }

    @inline(__always)
    func entry(of row: Int64) -> Int { devices.entry(of: row) }

    @inline(__always)
    func look(at item: Item, _ number: Int) -> Int64 { devices[number].time }

    /// Decides between equally late events, after the last item: that of the greatest resource counts.
    /// Throws what `precedes` throws.
    mutating func settle(
        by precedes: (_ a: Int64, _ b: Int64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for tie in ties where tie.time == devices[tie.number].time {
            if try precedes(devices[tie.number].resource, tie.resource) {
                devices[tie.number].resource = tie.resource
            }
        }
        ties = []
    }
}
