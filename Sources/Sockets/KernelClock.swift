import CLinux

/// What the kernel knows of the machine's clock.
package struct KernelClock: Sendable, Equatable {
    /// It calls itself synchronised: a time service keeps it.
    package let isSynchronised: Bool
    /// How far it may be off, milliseconds.
    package let maxError: Int64
    /// Its time, milliseconds since 1970-01-01T00:00:00Z.
    package let moment: Int64

    package init(isSynchronised: Bool, maxError: Int64, moment: Int64) {
        (self.isSynchronised, self.maxError, self.moment) = (isSynchronised, maxError, moment)
    }

    /// As it is now; nil where the kernel does not tell, as behind a filter of system calls.
    package static func read() -> KernelClock? {
        var (moment, maxError): (Int64, Int64) = (0, 0)
        let answer = clinux_kernel_clock(&moment, &maxError)
        if answer < 0 { return nil }
        return KernelClock(isSynchronised: answer == 1, maxError: maxError / 1000, moment: moment)
    }

    /// Milliseconds since the machine was started, sleep included. Setting the clock does not change them.
    package static var sinceBoot: Int64 { clinux_since_boot() / 1_000_000 }
}
