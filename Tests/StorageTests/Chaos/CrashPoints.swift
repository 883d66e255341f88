import Events
import StoreTestSupport
import TestSupport

@testable import Storage

/// A tape, and what is found when the power is cut at each of its operations.
struct CrashPoints {
    var tape: [TapeRecord]
    let judge: Judge
    /// The master key, which SQLite knows nothing of.
    let rest: DiskModel.Image
    /// Of the random choices at each point.
    var seed: UInt64 = 1
    /// What the kernel writes of what a failing sync was to write.
    var failedSync = Survival.drop
    /// At every so many points the power is cut again while the store recovers.
    var secondCutEvery = 4

    /// States tried, and what was wrong with them.
    struct Findings {
        var points = 0
        var verdict = Verdict()
    }

    /// Every operation in turn. States that are the same as the one before, with as many answers given,
    /// are tried once.
    func tryAll(_ survival: Survival) throws -> Findings {
        var findings = Findings()
        var model = DiskModel(failedSync: failedSync, seed: seed)
        var answers = 0
        var last: (image: DiskModel.Image, answers: Int)?
        for (place, record) in tape.enumerated() {
            if case .mark(let number) = record.operation { answers = number }
            model.apply(record)
            var random = SplitMix(seed: seed &+ UInt64(place) &* 7919)
            let image = model.image(survival, using: &random)
            if let last, last.answers == answers, last.image == image { continue }
            last = (image, answers)
            try tryOne(image, answers, "\(survival) after \(place)", &findings, &random)
            if findings.verdict.all.count > 20 { break }
        }
        return findings
    }

    /// After so many operations alone, by default after all of them.
    func tryOnce(_ survival: Survival, after count: Int = .max) throws -> Findings {
        var findings = Findings()
        var model = DiskModel(failedSync: failedSync, seed: seed)
        var answers = 0
        for record in tape.prefix(count) {
            if case .mark(let number) = record.operation { answers = number }
            model.apply(record)
        }
        var random = SplitMix(seed: seed)
        let image = model.image(survival, using: &random)
        let place = "\(survival) after \(min(count, tape.count)) of \(tape.count)"
        try tryOne(image, answers, place, &findings, &random)
        return findings
    }

    private func tryOne(
        _ image: DiskModel.Image, _ answers: Int, _ place: String, _ findings: inout Findings,
        _ random: inout SplitMix
    ) throws {
        findings.points += 1
        let folder = try materialise(image)
        let disk = FaultDisk(folder.data.path)
        var verdict = open(folder, answers, 0, &random)
        if findings.points % secondCutEvery == 0 {
            // Once more, somewhere in what the recovery and the batches after it have done.
            let again = disk.tape()
            let cut = again.prefix(Int.random(in: 0...again.count, using: &random))
            var model = DiskModel(seed: seed)
            for record in cut { model.apply(record) }
            var second = image
            // What the recovery has not opened by then is as the first cut left it.
            for record in cut { second[record.file] = nil }
            second.merge(model.image(.torn, using: &random)) { $1 }
            findings.points += 1
            verdict += open(try materialise(second), answers, 1, &random)
        }
        let text = "seed \(seed), cut \(place): "
        findings.verdict += Verdict(
            lost: verdict.lost.map { text + $0 }, doubled: verdict.doubled.map { text + $0 },
            other: verdict.other.map { text + $0 })
    }

    private func materialise(_ image: DiskModel.Image) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try DiskModel.write(rest.merging(image) { $1 }, to: folder.data.path)
        return folder
    }

    /// - Parameter earlier: how often the judge has posted batches of its own.
    private func open(
        _ folder: TemporaryFolder, _ answers: Int, _ earlier: Int,
        _ random: inout SplitMix
    ) -> Verdict {
        do {
            let store = try Store.open(Workload.options(folder))
            return try judge.judge(store, after: answers, earlier: earlier, using: &random)
        } catch {
            return Verdict(lost: ["everything: the store does not open: \(error)"])
        }
    }
}
