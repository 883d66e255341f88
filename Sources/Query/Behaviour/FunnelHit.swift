/// An event that matches steps of a funnel.
struct FunnelHit: DeviceKeyed {
    /// Row of its device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// The steps, bit 0 for the first.
    let mask: UInt16

    /// The order of one device's events.
    static func precedes(_ a: FunnelHit, _ b: FunnelHit) -> Bool {
        a.time != b.time ? a.time < b.time : a.mask < b.mask
    }
}

extension FunnelWalk {
    /// Adds events of a device, in order.
    mutating func add(_ hits: ArraySlice<FunnelHit>) {
        var index = hits.startIndex
        while index < hits.endIndex {
            let time = hits[index].time
            let moment = hits[index...].prefix { $0.time == time }
            if moment.count == 1 {
                add(time, hits[index].mask)
            } else {
                add(time, moment.map(\.mask)[...])
            }
            index = moment.endIndex
        }
    }
}
