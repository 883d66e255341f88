#if canImport(CCurl)
import CCurl
import Glibc

/// Sends one request to a host that may have several addresses, over the first connection that is established
/// (client.md §5). Not thread-safe.
///
/// libcurl alone gives the first address of a family half of the whole timeout, and drops it for the next. So
/// whenever the latest address has not connected for two seconds, a further transfer of the same request starts.
/// It skips the addresses that were tried before. The first transfer that is connected sends; the others are
/// removed.
final class CurlRace {
    /// How the request ended.
    struct Outcome {
        let result: CURLcode
        /// The status of the answer; 0 without an answer.
        let status: Int
    }

    private final class Runner {
        let handle: UnsafeMutableRawPointer
        unowned let race: CurlRace

        init(_ handle: UnsafeMutableRawPointer, in race: CurlRace) {
            self.handle = handle
            self.race = race
        }

        deinit { curl_easy_cleanup(handle) }

        /// Whether TCP is connected; the TLS handshake may still run.
        var isConnected: Bool {
            var connections = 0
            sojourn_curl_get_long(handle, CURLINFO_NUM_CONNECTS, &connections)
            return connections > 0
        }
    }

    /// Milliseconds that an address has to connect before the next one is tried.
    private static let head = 2000
    /// Nanoseconds until a further transfer starts: a little more than `head`, after which libcurl itself tries
    /// the other family.
    private static let patience = Int64(head + 50) * 1_000_000

    private let transfers: UnsafeMutableRawPointer?
    private let prepare: (UnsafeMutableRawPointer) -> Void
    private var runners: [Runner] = []
    /// The transfer that may send; nil before one is connected.
    private var sender: Runner?
    /// Addresses that were tried, as the bytes of their `sockaddr`.
    private var begun: Set<[UInt8]> = []
    /// When the latest address was tried, in monotonic nanoseconds; nil before the first.
    private var latest: Int64?
    /// Whether an address was skipped since the last poll.
    private var hasPassed = false
    /// Whether a transfer has failed: no address is left that was not tried.
    private var isExhausted = false

    /// - Parameters:
    ///   - transfers: libcurl's multi handle, which nothing else uses while the race runs.
    ///   - prepare: Sets the request's options on an easy handle.
    init(
        _ transfers: UnsafeMutableRawPointer?, prepare: @escaping (UnsafeMutableRawPointer) -> Void
    ) {
        self.transfers = transfers
        self.prepare = prepare
    }

    deinit { for runner in runners { curl_multi_remove_handle(transfers, runner.handle) } }

    /// Runs the request to its end; returns nil if `isGivenUp` says so before.
    func run(isGivenUp: () -> Bool) -> Outcome? {
        add()
        while !isGivenUp() {
            var running: Int32 = 0
            guard !runners.isEmpty, curl_multi_perform(transfers, &running) == CURLM_OK else {
                return Outcome(result: CURLE_FAILED_INIT, status: 0)
            }
            if let outcome = ended() { return outcome }
            if let winner = sender ?? runners.first(where: \.isConnected) {
                for other in runners where other !== winner { remove(other) }
                curl_multi_poll(transfers, nil, 0, 1000, nil)
            } else {
                wait()
            }
        }
        return nil
    }

    /// How the sending transfer ended, or the only one that is left; nil while it runs.
    private func ended() -> Outcome? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(transfers, &left) {
            guard let runner = runners.first(where: { $0.handle == message.pointee.easy_handle })
            else { continue }
            let result = message.pointee.data.result
            if runner === sender || runners.count == 1 {
                var status = 0
                sojourn_curl_get_long(runner.handle, CURLINFO_RESPONSE_CODE, &status)
                return Outcome(result: result, status: status)
            }
            remove(runner)
            isExhausted = true
        }
        return nil
    }

    /// Polls for at most 20 ms, and starts the next transfer when it is due.
    private func wait() {
        if let latest, !isExhausted, SystemClock.monotonic() - latest >= Self.patience { add() }
        // After a refused address libcurl tries the next one in the next call, and sets no timer for that (7.88).
        curl_multi_poll(transfers, nil, 0, hasPassed ? 0 : 20, nil)
        hasPassed = false
    }

    // MARK: Transfers

    private func add() {
        if latest != nil { latest = SystemClock.monotonic() }
        guard let handle = curl_easy_init() else { return }
        let runner = Runner(handle, in: self)
        prepare(handle)
        let target = Unmanaged.passUnretained(runner).toOpaque()
        sojourn_curl_set_long(handle, CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Self.head)
        sojourn_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, target)
        sojourn_curl_set_opener(handle) { target, _, address in
            guard let target, let address else { return -1 }
            return Unmanaged<Runner>.fromOpaque(target).takeUnretainedValue().race.open(address)
        }
        sojourn_curl_set_pointer(handle, CURLOPT_PREREQDATA, target)
        sojourn_curl_set_prerequest(handle) { target, _, _, _, _ in
            guard let target else { return CURL_PREREQFUNC_ABORT }
            let runner = Unmanaged<Runner>.fromOpaque(target).takeUnretainedValue()
            return runner.race.maySend(runner) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        guard curl_multi_add_handle(transfers, handle) == CURLM_OK else { return }
        runners.append(runner)
    }

    private func remove(_ runner: Runner) {
        curl_multi_remove_handle(transfers, runner.handle)
        runners.removeAll { $0 === runner }
    }

    /// Opens a socket for an address; −1 if the address was tried before.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        // An IPv6 address is longer than the member.
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + start, count: Int(address.pointee.addrlen))
        hasPassed = !begun.insert(Array(bytes)).inserted
        if hasPassed { return -1 }
        latest = SystemClock.monotonic()
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, kind, address.pointee.`protocol`)
    }

    private func maySend(_ runner: Runner) -> Bool {
        guard sender == nil else { return sender === runner }
        sender = runner
        return true
    }
}
#endif
