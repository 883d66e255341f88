import Database
import Engine
import Events
import Query
import StoreTestSupport
import TestSupport

@testable import Forwarding
@testable import Storage
@testable import Upkeep

extension ClusterLife {
    /// Servers do it at once, and nodes are not waited for: they do what they do when they are told to.
    private static let polling = Polling { _ in }

    /// Does something to nodes, engine and model, some time after the last.
    func carryOut(_ step: ClusterStep, _ random: inout SplitMix) throws {
        pass(random.pick([1, 1000, 60_000, 600_000, hour, 7 * hour, day]))
        let node = random.next(nodes.count)
        switch step {
        case .post: try postFresh(&random)
        case .postAgain: try postAgain(&random)
        case .refuse: try refuse(at: node, &random)
        case .handOver:
            story.append("hand over at \(node)")
            try handOver(node)
        case .handOverCut: try handOverCut(node, &random)
        case .restart:
            story.append("restart \(node)")
            try nodes[node].restart()
        case .crash:
            story.append("crash \(node)")
            try nodes[node].crash()
        case .backUp: try backUp(node)
        case .restore: try restore(&random)
        case .emptySpool: try emptySpool(node, &random)
        case .copyEngine:
            story.append("copy the engine at \(now)")
            engineCopy = (try EngineCopy(engine, "kept"), now)
        case .rollBack: try rollBack()
        case .loseRecent: try loseRecent(&random)
        case .merge:
            story.append("merge")
            for table in ["batch", "arrival", "refusal"] {
                try engine.change("OPTIMIZE TABLE \(table) FINAL")
            }
        case .forwardAgain:
            let moment = random.oneIn(2) ? nil : now - random.pick([0, hour, 3 * day])
            story.append("forward again at \(node) from \(moment ?? 0)")
            try nodes[node].forwardAgain(from: moment)
        case .erase: try erase(at: node, &random)
        case .prune: try prune(at: node, &random)
        case .compare: try compare(&random)
        }
    }

    // MARK: - batches

    private func postFresh(_ random: inout SplitMix) throws {
        for _ in 0..<(1 + random.next(3)) {
            let fresh = sent.filter { !state.isKnown($0) }
            if fresh.isEmpty { return }
            try post(random.pick(fresh), at: random.next(nodes.count), &random)
        }
    }

    /// Of those that are sent again the device's clock may have been set meanwhile.
    private func postAgain(_ random: inout SplitMix) throws {
        let known = sent.filter { state.isKnown($0) }
        if known.isEmpty { return }
        var batch = random.pick(known)
        let shift = random.pick([0, 0, 1, hour, -day])
        for event in batch.events.indices { batch.events[event].time += shift }
        try post(batch, at: random.next(nodes.count), &random)
    }

    private func refuse(at node: Int, _ random: inout SplitMix) throws {
        let code = random.pick(["unauthorized", "a"])
        story.append("refuse \(code) at \(node) at \(now)")
        state.refuse(code, at: now)
        try nodes[node].store.writer.add([
            RefusalCount(
                app: nodes[node].app.id, quarter: QuarterHour.number(of: now), code: code,
                batches: 1)
        ])
    }

    private func handOverCut(_ node: Int, _ random: inout SplitMix) throws {
        let looks = random.next(14)
        let isDone = try handOver(node, cutAfter: looks)
        story.append("hand over at \(node), cut at look \(looks): \(isDone)")
        if !isDone, random.oneIn(2) {
            story.append("and crash")
            try nodes[node].crash()
        }
    }

    // MARK: - copies

    private func backUp(_ node: Int) throws {
        story.append("back up \(node)")
        backups.append(
            Backup(node: node, path: try nodes[node].backUp(), held: state.held(by: node)))
    }

    /// What it has not handed over would be lost with its disk: all of it is.
    private func restore(_ random: inout SplitMix) throws {
        guard !backups.isEmpty else { return }
        let backup = random.pick(backups)
        story.append("restore \(backup.node)")
        try handOver(backup.node)
        try nodes[backup.node].restore(backup.path)
        state.restore(backup.held, at: backup.node)
        countsMayBeLow = true
    }

    private func emptySpool(_ node: Int, _ random: inout SplitMix) throws {
        let dropped = try nodes[node].emptySpool(handedOverBy: now - random.pick([0, hour, day]))
        story.append("empty the spool of \(node): \(dropped)")
        guard dropped > 0 else { return }
        // Spools have to reach back to the engine's copy.
        engineCopy = nil
        let left = Set(try nodes[node].store.reader().rows("SELECT batch_id FROM batch"))
        state.drop(at: node) { left.contains($0.id) }
    }

    private func rollBack() throws {
        guard let (copy, moment) = engineCopy else { return }
        story.append("put the engine back to \(moment)")
        try copy.putBack(engine)
        for node in nodes { try node.forwardAgain(from: moment) }
    }

    /// Within the time of which nodes hand over all again by themselves.
    private func loseRecent(_ random: inout SplitMix) throws {
        story.append("from here on the engine will lose what it gets")
        let copy = try EngineCopy(engine, "recent")
        for _ in 0..<(1 + random.next(3)) {
            pass(random.pick([0, 1000, 120_000]))
            try postFresh(&random)
            let node = random.next(nodes.count)
            story.append("hand over at \(node)")
            try handOver(node)
            if random.oneIn(3) {
                story.append("crash \(node)")
                try nodes[node].crash()
            }
        }
        story.append("the engine starts again")
        try copy.putBack(engine)
        try engine.change("TRUNCATE TABLE alive")
    }

    // MARK: - erasing and pruning

    private func erase(at node: Int, _ random: inout SplitMix) throws {
        let device = random.pick(sent).device
        // As the command does: after the newest that the engine or the node itself has.
        let moment = now + 1
        story.append("erase \(device) at \(node), before \(moment)")
        let shared = SharedErasures(
            nodes[node].store, engine.session, node: nodes[node].name, polling: Self.polling)
        let erasure = ReceiptedDevice(
            app: nodes[node].app.name, device: try hash(device), moment: moment)
        try shared.announce(
            ErasureReceipt(app: erasure.app, device: erasure.device, moment: moment))
        try shared.delete(erasure)
        if random.oneIn(2) {
            try shared.catchUp()
            nodes[node].forgetRound()
        }
        erase(device, before: moment)
    }

    private func prune(at node: Int, _ random: inout SplitMix) throws {
        for node in nodes.indices { try handOver(node) }
        let times = state.alone.batches.flatMap { $0.left.map(\.event.time) }.filter { $0 < now }
        let limit =
            times.isEmpty || random.oneIn(2)
            ? now - random.pick([hour, 10 * day, 30 * day])
            : random.pick(times.sorted()) + Int64(random.next(2))
        let right = state.prune(before: limit, now: now, timeout: Self.timeout)
        let outcome = try SharedPrune(
            nodes[node].store, engine.session, node: nodes[node].name, polling: Self.polling
        ).run(before: limit, at: now, handsOver: false, announce: { _ in })
        story.append("prune before \(limit) from \(node): \(right)")
        if outcome.events != right { wrong.append("\(outcome.events) pruned, not \(right)") }
        // What was copied before has what is to be gone; what comes back with it the next prune takes.
        engineCopy = nil
        backups = []
    }
}
