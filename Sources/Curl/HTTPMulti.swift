import CCurl

/// Many requests at once, each on a connection of its own while it lasts: libcurl's multi interface. Connections are kept for the requests that follow. Made and used on one thread.
package final class HTTPMulti<Tag> {
    /// What came of a request.
    package struct Outcome {
        /// What the request was begun with.
        package let tag: Tag
        /// Every status is an answer; a failure is none, or none that is whole.
        package let result: Result<HTTPAnswer, HTTPFailure>
    }

    private struct Running {
        let transfer: HTTPTransfer
        let tag: Tag
    }

    /// Whom it asks where a request names nobody else.
    private let address: ServerAddress
    private let limits: HTTPClient.AnswerLimits
    private let multi: UnsafeMutableRawPointer
    /// Requests under way, by libcurl's handle.
    private var running: [UnsafeMutableRawPointer: Running] = [:]
    /// Handles that wait for the next request, by their server's origin and path.
    private var idle: [String: [HTTPTransfer]] = [:]
    /// Requests that were begun since anything was sent.
    private var unsent = 0
    private static var maxUnsent: Int { 16 }

    /// Requests under way.
    package var count: Int { running.count }

    /// Bytes of bodies that have come of these.
    package var received: Int { running.values.reduce(0) { $0 + $1.transfer.received } }

    /// Nothing is connected yet.
    ///
    /// - Parameters:
    ///   - address: whom it asks where a request names nobody else
    ///   - connections: how many there may be at once, those that are kept included
    /// - Throws: `HTTPFailure` of kind `library` when libcurl cannot be set up.
    package init(
        _ address: ServerAddress, limits: HTTPClient.AnswerLimits = .init(), connections: Int
    ) throws(HTTPFailure) {
        guard let multi = curl_multi_init(),
            sojourn_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections) == CURLM_OK,
            sojourn_curl_multi_set_long(
                multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections) == CURLM_OK
        else {
            throw HTTPFailure(
                kind: .library, origin: address.origin, reason: "libcurl cannot be initialised")
        }
        self.address = address
        self.limits = limits
        self.multi = multi
    }

    deinit {
        PipeSignal.withheld {
            for handle in running.keys { curl_multi_remove_handle(multi, handle) }
            curl_multi_cleanup(multi)
        }
    }

    /// Begins a request; what comes of it is in a later `wait`.
    ///
    /// - Parameters:
    ///   - other: whom it asks instead
    ///   - isFresh: whether it comes from somebody new, over a connection that nobody has used
    ///   - bodyLimit: bytes the answer's body may have, where the limit of all is not it
    ///   - totalTimeout: milliseconds for it, where the limit of all is not it
    /// - Throws: `HTTPFailure` where the request cannot be sent at all.
    package func begin(
        _ request: HTTPRequest, to other: ServerAddress? = nil, tag: Tag, isFresh: Bool = false,
        bodyLimit: Int? = nil, totalTimeout: Int? = nil
    ) throws(HTTPFailure) {
        let transfer = try transfer(to: other ?? address)
        try transfer.begin(
            request, bodyLimit: bodyLimit, totalTimeout: totalTimeout, isFresh: isFresh)
        guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
            throw failure("libcurl takes no more requests")
        }
        running[transfer.handle] = Running(transfer: transfer, tag: tag)
        // A request says when it was made: it does not wait for many others to be made.
        unsent += 1
        if unsent >= Self.maxUnsent { try send() }
    }

    private func send() throws(HTTPFailure) {
        unsent = 0
        var active: Int32 = 0
        guard PipeSignal.withheld({ curl_multi_perform(multi, &active) }) == CURLM_OK else {
            throw failure("libcurl cannot go on")
        }
    }

    private func failure(_ reason: String) -> HTTPFailure {
        HTTPFailure(kind: .library, origin: address.origin, reason: reason)
    }

    private func transfer(to address: ServerAddress) throws(HTTPFailure) -> HTTPTransfer {
        if let transfer = idle[address.key]?.popLast() { return transfer }
        return try HTTPTransfer(address, limits: limits)
    }

    /// Ends all requests that are under way; nothing is told of them.
    package func cancelAll() {
        PipeSignal.withheld {
            for handle in running.keys { curl_multi_remove_handle(multi, handle) }
        }
        // Their handles end with them, and so do their connections.
        running.removeAll()
    }

    /// Sends and receives what can be, after at most so many milliseconds without anything to do.
    ///
    /// - Returns: the requests that have ended.
    /// - Throws: `HTTPFailure` of kind `library`.
    package func wait(_ milliseconds: Int) throws(HTTPFailure) -> [Outcome] {
        guard curl_multi_poll(multi, nil, 0, Int32(clamping: milliseconds), nil) == CURLM_OK else {
            throw failure("libcurl cannot wait")
        }
        try send()
        var ended: [Outcome] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let request = running.removeValue(forKey: handle)
            else { continue }
            let result = message.pointee.data.result
            // What the message points to ends here.
            curl_multi_remove_handle(multi, handle)
            ended.append(outcome(request, result))
        }
        return ended
    }

    private func outcome(_ request: Running, _ result: CURLcode) -> Outcome {
        idle[request.transfer.address.key, default: []].append(request.transfer)
        do throws(HTTPFailure) {
            return Outcome(tag: request.tag, result: .success(try request.transfer.end(result)))
        } catch {
            return Outcome(tag: request.tag, result: .failure(error))
        }
    }
}
