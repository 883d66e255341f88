import TimeZones

/// Where a device is: its users wake and sleep by the clocks there.
struct Home: Sendable {
    let zone: TimeZoneRules
    let weight: Int

    /// Most are in Europe; some are where clocks differ from others by half and three quarters of an hour,
    /// and go forward when those of the north go back.
    private static let names = [
        ("Europe/Berlin", 44), ("Europe/London", 18), ("Europe/Athens", 10),
        ("America/New_York", 7), ("America/Los_Angeles", 4), ("America/St_Johns", 1),
        ("America/Santiago", 2), ("Asia/Kolkata", 5), ("Asia/Kathmandu", 1), ("Asia/Tokyo", 3),
        ("Australia/Adelaide", 2), ("Australia/Lord_Howe", 1), ("Pacific/Chatham", 2),
    ]

    /// All of them.
    ///
    /// - Throws: `SimulationFailure` where this machine does not know a zone.
    static func all() throws(SimulationFailure) -> [Home] {
        var homes: [Home] = []
        for (name, weight) in names {
            do throws(TimeZoneError) {
                homes.append(Home(zone: try TimeZoneRules(name: name), weight: weight))
            } catch {
                throw SimulationFailure(
                    reason: "this machine does not know the time zone \(name); install tzdata",
                    kind: .unavailable)
            }
        }
        return homes
    }

    /// The moment (ms) at which clocks here show `hour` on a day, or would if they showed every hour once.
    func moment(day: Int64, hour: Int) -> Int64 {
        let local = day * SimulationPeriod.day + Int64(hour) * 3_600_000
        return local - zone.offset(at: local)
    }
}
