import Testing

@testable import Simulation

@Suite("networks")
struct WeatherTests {
    private func fates(_ sky: Weather.Sky, hasArrived: Bool, lost: Int) -> [Weather.Fate] {
        var shares = Shares.none
        shares.lost = lost
        var weather = Weather(shares, seed: 7)
        weather.sky = sky
        return (0..<2_000).map { _ in weather.fate(hasArrived: hasArrived) }
    }

    private func statuses(_ fates: [Weather.Fate]) -> Set<Int> {
        Set(
            fates.compactMap { fate in
                guard case .ends(_, .answer(let response)) = fate else { return nil }
                return response.status
            })
    }

    @Test("without a network nothing arrives; without losses everything does")
    func arrives() {
        let offline = fates(.offline, hasArrived: false, lost: 0)
        #expect(
            offline.allSatisfy { if case .ends(_, .failure) = $0 { true } else { false } })
        let clear = fates(.clear, hasArrived: false, lost: 0)
        #expect(
            clear.allSatisfy { if case .arrives(60...700, false) = $0 { true } else { false } })
    }

    @Test("what has arrived once is not too large later")
    func tooLarge() {
        #expect(statuses(fates(.clear, hasArrived: false, lost: 10_000)) == [200, 408, 413, 503])
        #expect(statuses(fates(.clear, hasArrived: true, lost: 10_000)) == [200, 503])
    }
}
