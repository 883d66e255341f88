import Foundation

/// The processor's time that this thread takes for some work: what else the machine has to do is not in it.
package func threadTime(_ work: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let begin = now()
    try work()
    return now() - begin
}
