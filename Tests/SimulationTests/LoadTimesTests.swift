import Foundation
import Testing

@testable import Simulation

@Suite("load times")
struct LoadTimesTests {
    @Test("every screen says how long it took: a long tail, by screen, system and release")
    func loadTimes() throws {
        var all: [Double] = []
        var screens: [String: [Double]] = [:]
        var systems: [String: [Double]] = [:]
        var releases: [String: [Double]] = [:]
        for arrival in try Crowd(.some(devices: 24, days: 32)).arrivals where !arrival.isRepeat {
            for event in arrival.batch.events {
                let load = event.attributes["app.screen.load_ms"]
                guard event.name == "screen.view" else {
                    try #require(load == nil)
                    continue
                }
                let time = try #require(load as? NSNumber).doubleValue
                all.append(time)
                let screen = try #require(event.attributes["app.screen.name"] as? String)
                screens[screen, default: []].append(time)
                let resource = arrival.batch.resource
                systems[resource["os.name"] ?? "", default: []].append(time)
                releases[resource["service.version"] ?? "", default: []].append(time)
            }
        }
        func rank(_ percent: Int, _ times: [Double]?) -> Double {
            guard let times, !times.isEmpty else { return .nan }
            return times.sorted()[(times.count * percent + 99) / 100 - 1]
        }
        let median = rank(50, all)
        #expect((100...500).contains(median))
        #expect((2 * median...4 * median).contains(rank(95, all)))
        #expect((3 * median...8 * median).contains(rank(99, all)))
        #expect((8 * median...60_000).contains(rank(100, all)))
        #expect(rank(50, screens["stores"]) > 3 * rank(50, screens["profile"]))
        #expect(rank(50, systems["Android"]) > 1.3 * rank(50, systems["iOS"]))
        // The release of the period's beginning is slow, those before and after it are not.
        let (before, slow, after) = (releases["5.4.0"], releases["5.5.0"], releases["5.6.0"])
        #expect(rank(50, slow) > 1.4 * rank(50, before))
        #expect(rank(50, slow) > 1.4 * rank(50, after))
    }
}
