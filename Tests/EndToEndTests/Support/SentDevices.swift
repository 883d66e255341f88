import Foundation
import Testing
import TimeZones
import Truth

/// Random devices in a server, and what its reports must say of them.
struct SentDevices {
    private(set) var devices: [SentDevice]
    private let today: CivilDate

    /// Some 95 devices over 215 days up to three days ago, so that clocks change in most zones; the last
    /// device is four that the server cannot tell apart.
    init(seed: UInt64) {
        let end = now - 3 * 86_400_000
        var random = RandomDevices(seed: seed, period: (end - 215 * 86_400_000)..<end)
        devices = (0..<91).map { random.device($0, isShared: false, isVague: $0 % 5 == 4) }
        devices.append(random.device(91, isShared: true, isVague: false))
        for number in 92..<95 {
            let other = random.device(number, isShared: true, isVague: false)
            devices[91].append(other)
        }
        today = CivilDate(number: Int(now / 86_400_000))
    }

    /// Posts all batches in any order, those that repeat so often.
    mutating func post(to server: TestServer) throws {
        let connection = try server.connect()
        let order = devices.indices.flatMap { device in
            devices[device].told.batches.indices.map { (device, $0) }
        }
        for (device, number) in order.shuffled() {
            devices[device].told.batches[number].posted = now
            let batch = devices[device].told.batches[number]
            for _ in 0...batch.repeats {
                let json = devices[device].json(ofBatch: number, now: now)
                let answer = try #require(server.answer(to: json, on: connection))
                try #require(answer.status == 200, "\(answer.body) to \(json)")
                let counts = #""accepted":\#(batch.accepted),"rejected":\#(batch.rejected)"#
                try #require(answer.body.contains(counts), "\(answer.body) to \(json)")
            }
        }
    }

    /// What every report must say, in a zone, of most of the days, as two threads count it.
    /// - Parameter devices: others than those that were posted
    func truth(zone: String, of devices: [SentDevice]? = nil) throws -> [UInt8] {
        let scope = TruthScope(
            app: "shop", zone: try TimeZoneRules(name: zone), from: today.adding(days: -205),
            to: today.adding(days: -8), sessionTimeout: 1_800_000, keyID: nil, profile: "plain")
        var halves = [Truth(scope), Truth(scope)]
        for (index, device) in (devices ?? self.devices).enumerated() {
            halves[index % 2].add(device.told)
        }
        halves[0].merge(halves[1])
        return halves[0].document()
    }

    /// The number of a device and of an event of it that lies well within the range.
    func event(
        where isSought: (ToldDevice, ToldEvent) -> Bool
    ) throws -> (device: Int, event: Int) {
        let range = (now - 190 * 86_400_000)...(now - 40 * 86_400_000)
        for (number, device) in devices.enumerated() where !device.told.isShared {
            let event = device.told.events.firstIndex {
                range.contains($0.time) && isSought(device.told, $0)
            }
            if let event { return (number, event) }
        }
        throw Failure(text: "no such event")
    }
}

extension SentDevice {
    /// Takes another in that has the same id.
    fileprivate mutating func append(_ other: SentDevice) {
        let offset = told.batches.count
        told.batches += other.told.batches
        tooOld += other.tooOld
        for var event in other.told.events {
            event.batch += offset
            told.events.append(event)
        }
    }
}
