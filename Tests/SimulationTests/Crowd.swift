import Client
import Foundation

@testable import Simulation

/// Lets devices live against a server that takes everything, at once and without a network.
struct Crowd {
    /// What arrived.
    struct Arrival {
        let device: Int
        let post: Post
        let batch: BatchChecker.Batch
        /// Whether it has arrived before.
        let isRepeat: Bool
    }

    /// 2026-11-21T12:00:00Z: the moment in which all of them post.
    static let now: Int64 = 1_795_262_400_000

    let population: Population
    private(set) var arrivals: [Arrival] = []
    private(set) var devices: [SimulatedDevice] = []

    /// - Throws: what a device throws whose client does what it must not.
    init(_ population: Population, hasAccount: Bool = false) throws {
        self.population = population
        for number in 0..<population.devices {
            let device = SimulatedDevice(number, of: population, hasAccount: hasAccount)
            devices.append(device)
            try live(device, number)
        }
    }

    private mutating func live(_ device: SimulatedDevice, _ number: Int) throws {
        var seen: Set<String> = []
        while let post = try device.live() {
            let batch = try BatchChecker.check(post.stamped(Self.now))
            let isRepeat = !seen.insert(batch.id).inserted
            arrivals.append(
                Arrival(device: number, post: post, batch: batch, isRepeat: isRepeat))
            try device.account?.stored(
                post, Receipt(first: Self.now, last: Self.now, unknown: 0, isRepeat: isRepeat),
                ServerRules())
            device.answered(Self.stored(batch))
        }
    }

    private static func stored(_ batch: BatchChecker.Batch) -> Reply.Response {
        let body =
            #"{"batch_id":"\#(batch.id)","accepted":\#(batch.events.count),"rejected":0}"#
        return Reply.Response(
            status: 200, mediaType: "application/json", retryAfter: nil, date: nil,
            body: Array(body.utf8))
    }
}

extension Population {
    /// A small one.
    static func some(
        devices: Int = 40, days: Int = 8, until: String? = "2026-11-19", seed: UInt64 = 1,
        shares: Shares = Shares()
    ) throws -> Population {
        try Population(
            devices: devices, period: SimulationPeriod(days: days, until: until, now: Crowd.now),
            seed: seed, shares: shares)
    }
}

extension Shares {
    /// Nothing goes wrong.
    static let none: Shares = {
        var shares = Shares()
        (shares.wrongClocks, shares.setClocks, shares.offlineDays, shares.kills) = (0, 0, 0, 0)
        (shares.lost, shares.copies, shares.tinyJournals) = (0, 0, 0)
        return shares
    }()

    /// Nearly everything does.
    static let many: Shares = {
        var shares = Shares()
        (shares.wrongClocks, shares.setClocks, shares.offlineDays) = (5_000, 5_000, 3_000)
        (shares.kills, shares.lost) = (2_500, 3_000)
        (shares.copies, shares.tinyJournals) = (5_000, 5_000)
        return shares
    }()
}
