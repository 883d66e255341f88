import Dispatch

/// Moments on the clock that stops while the machine sleeps, uptime in nanoseconds.
enum Deadline {
    /// One that never comes.
    static let never = UInt64.max

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    static func hasPassed(_ deadline: UInt64) -> Bool { deadline != never && now >= deadline }

    static func after(_ nanoseconds: UInt64) -> UInt64 { now &+ nanoseconds }
}
