import Events
import Query
import Testing

@testable import Commands
@testable import Storage

/// docs/operation.md, Doctor.
@Suite("doctor on ids that many devices send")
struct SharedIDsTests {
    private static let apps = ["shop", "news"].enumerated().map { index, name in
        App(
            id: Int64(index + 1), name: name, title: "", timeZone: "UTC", sessionTimeout: 60_000,
            allowsPlain: true, createdAt: 0)
    }

    private func device(_ number: UInt64, overlapping: Int, mostADay: Int) -> CrowdedDevice {
        CrowdedDevice(
            device: DeviceHash(high: number, low: 0), overlapping: overlapping, mostADay: mostADay)
    }

    @Test("nobody is named where nobody is crowded")
    func none() {
        let found = Checkup.sharedIDs(Self.apps, [:])
        #expect(found.map(\.state) == [.ok] && found[0].check == "shared-ids")
        #expect(Checkup.sharedIDs([], [:]).map(\.state) == [.ok])
    }

    @Test("the most crowded are named by their hash, with what they did and what to do")
    func named() {
        let found = Checkup.sharedIDs(
            Self.apps,
            [
                2: [
                    device(1, overlapping: 7, mostADay: 83), device(2, overlapping: 5, mostADay: 3),
                    device(3, overlapping: 0, mostADay: 51), device(4, overlapping: 1, mostADay: 2),
                    device(5, overlapping: 1, mostADay: 2),
                ]
            ])
        #expect(found.count == 4 && found.allSatisfy { $0.state == .warning })
        let first = found[0].detail
        #expect(first.contains("device 0000000000000001" + String(repeating: "0", count: 16)))
        #expect(first.contains("app news") && first.contains("app.installation.id"))
        #expect(
            first.contains(
                "began 7 sessions while another of it went on and began 83 sessions on one day:"))
        #expect(!found[1].detail.contains("on one day"))
        #expect(found[2].detail.contains("app news began 51 sessions on one day:"))
        #expect(found[3].detail.contains("2 more devices of app news"))
        let one = Checkup.sharedIDs(Self.apps, [1: [device(6, overlapping: 1, mostADay: 2)]])
        #expect(one[0].detail.contains("began 1 session while another of it went on:"))
    }
}
