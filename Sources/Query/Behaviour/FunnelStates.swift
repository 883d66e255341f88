import Database
import Storage

/// How far the devices of a shard have come in a funnel: for those that have begun, where their walks stand.
struct FunnelStates: Sendable {
    private let steps: Int
    private var walk: FunnelWalk
    /// Devices by their rows in the shard.
    private var codes: RowCodes
    /// By device: for each step the latest start from which it is done.
    private var starts: [Int64] = []
    /// By device: how many steps it has completed at most.
    private var furthest: [UInt8] = []
    private var held: HeldBytes

    /// Without devices.
    /// - Parameters:
    ///   - within: as in `FunnelWalk`
    ///   - account: of the report
    init(steps: Int, within: Int64, _ account: ReportAccount) {
        self.steps = steps
        walk = FunnelWalk(steps: steps, within: within)
        codes = RowCodes(account)
        held = HeldBytes(account)
    }

    /// Adds events of a device, in order; all are later than those of it that came before.
    /// - Parameter row: distinguishes it from other devices of the shard
    mutating func add(_ hits: ArraySlice<FunnelHit>, of row: Int64) {
        let known = codes.known(row)
        if let known {
            if Int(furthest[known]) == steps { return }
            let first = known * steps
            walk.resume(starts[first..<first + steps], furthest: Int(furthest[known]))
        } else {
            walk.restart()
        }
        walk.add(hits)
        if walk.furthest == 0 { return }
        let device = known ?? codes.code(of: row)
        if device == furthest.count {
            furthest.append(0, &held)
            starts.append(repeating: FunnelWalk.none, steps, &held)
        }
        furthest[device] = UInt8(truncatingIfNeeded: walk.furthest)
        walk.forEachStart { step, start in starts[device * steps + step - 1] = start }
    }

    /// How many devices have completed so many steps, added by their number.
    func count(into reached: inout [Int]) {
        for steps in furthest { reached[Int(steps)] += 1 }
    }
}
