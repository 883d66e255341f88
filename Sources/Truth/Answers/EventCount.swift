/// Events and the devices that sent them.
struct EventCount: Mergeable {
    private(set) var events = 0
    private(set) var devices = 0
    /// The device that was counted last: all events of a device come together.
    private var last: Int32 = 0

    init() {}

    mutating func insert(of device: PreparedDevice) {
        events += 1
        insertDevice(device)
    }

    mutating func insertDevice(_ device: PreparedDevice) {
        guard !device.isShared, last != device.ordinal else { return }
        last = device.ordinal
        devices += 1
    }

    mutating func merge(_ other: EventCount) {
        events += other.events
        devices += other.devices
    }

    var figures: [Figure] { [.count(events), .count(devices)] }
}
