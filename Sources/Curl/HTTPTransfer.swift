import CCurl
import Glibc

/// One libcurl easy handle: what is the same for all its requests, the request under way, and what came of
/// it. Used by one thread at a time.
///
/// Redirects are not followed: no answer of a sojourn server is one, and a body sealed for one
/// server is not another's business.
final class HTTPTransfer {
    /// libcurl's handle; the caller performs it.
    let handle: UnsafeMutableRawPointer
    /// Whose requests it sends.
    let address: ServerAddress
    private let limits: HTTPClient.AnswerLimits
    private let receiver = HTTPReceiver()
    /// The request's header, which libcurl reads until the transfer has ended.
    private var header: UnsafeMutablePointer<curl_slist>?
    /// What the request under way proves its sender with.
    private var credential: [UInt8]?
    /// Where libcurl writes how a transfer failed; CURL_ERROR_SIZE bytes.
    private let reason: UnsafeMutablePointer<CChar>

    /// A handle for the server at `address`; nothing is connected yet.
    ///
    /// - Throws: `HTTPFailure` of kind `library` when libcurl cannot be set up.
    init(_ address: ServerAddress, limits: HTTPClient.AnswerLimits) throws(HTTPFailure) {
        guard Self.library == CURLE_OK, let handle = curl_easy_init() else {
            throw HTTPFailure(
                kind: .library, origin: address.origin, reason: "libcurl cannot be initialised")
        }
        self.address = address
        self.limits = limits
        self.handle = handle
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try prepare()
    }

    deinit {
        PipeSignal.withheld { curl_easy_cleanup(handle) }
        curl_slist_free_all(header)
        reason.deallocate()
    }

    /// Makes the handle ready for a request; its body is copied.
    ///
    /// - Parameters:
    ///   - bodyLimit: bytes the answer's body may have, where the client's limit is not it.
    ///   - totalTimeout: milliseconds for it, where the client's limit is not it.
    ///   - isFresh: whether it goes over a connection that nothing was sent over.
    /// - Throws: `HTTPFailure` of kind `unsendable`, or `library`.
    func begin(
        _ request: HTTPRequest, bodyLimit: Int? = nil, totalTimeout: Int? = nil,
        isFresh: Bool = false
    ) throws(HTTPFailure) {
        guard request.path.hasPrefix("/"),
            request.path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw failure(.unsendable, "the path has characters that a URL has not") }
        guard request.fields.allSatisfy(\.isOneLine) else {
            throw failure(
                .unsendable, "a header field holds a line break or a control character")
        }
        try replaceHeader(try list(of: request))
        receiver.begin(bodyLimit: bodyLimit ?? limits.bodyLimit)
        credential = request.credential
        reason[0] = 0
        try check(set(CURLOPT_URL, address.url(request.path)))
        try check(
            sojourn_curl_set_long(
                handle, CURLOPT_TIMEOUT_MS, totalTimeout ?? limits.totalTimeout))
        try check(sojourn_curl_set_long(handle, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0))
        switch request.method {
        case .get: try check(sojourn_curl_set_long(handle, CURLOPT_HTTPGET, 1))
        case .post: try setBody(request.body)
        }
    }

    /// Bytes of the body that have come.
    var received: Int { receiver.body.count }

    /// What came of the request, as libcurl's `result` says, without the token that it was made with.
    ///
    /// - Throws: `HTTPFailure` when there is no whole answer. Every status is an answer.
    func end(_ result: CURLcode) throws(HTTPFailure) -> HTTPAnswer {
        guard result == CURLE_OK else { throw failure(of: result) }
        guard receiver.isHeaderWhole else {
            throw failure(.broken, "the connection ended within the answer's header")
        }
        guard !limits.needsLength || receiver.hasLength else {
            throw failure(
                .broken, "the answer says neither how long it is nor where it ends: it may be cut")
        }
        var status = 0
        try check(sojourn_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status))
        let answer = HTTPAnswer(status: status, fields: receiver.fields, body: receiver.body)
        return credential.map(answer.withholding) ?? answer
    }

    private func setBody(_ body: [UInt8]) throws(HTTPFailure) {
        try check(sojourn_curl_set_long(handle, CURLOPT_POST, 1))
        try check(
            sojourn_curl_set_size(
                handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        // An empty array has no address, and without one libcurl would read from a callback.
        let bytes = body.isEmpty ? [0] : body
        try check(
            bytes.withUnsafeBufferPointer {
                sojourn_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
            })
    }

    /// The list is libcurl's until the handle knows of another.
    private func replaceHeader(
        _ next: UnsafeMutablePointer<curl_slist>?
    ) throws(HTTPFailure) {
        let result = sojourn_curl_set_pointer(handle, CURLOPT_HTTPHEADER, next)
        guard result == CURLE_OK else {
            curl_slist_free_all(next)
            throw failure(of: result)
        }
        curl_slist_free_all(header)
        header = next
    }

    /// Options that stay the same for all requests.
    private func prepare() throws(HTTPFailure) {
        // Signals would reach other threads of the program; see PipeSignal for what that leaves.
        try check(sojourn_curl_set_long(handle, CURLOPT_NOSIGNAL, 1))
        try check(sojourn_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, reason))
        try check(sojourn_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0))
        try check(
            sojourn_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)))
        try check(
            sojourn_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, limits.connectTimeout))
        try check(sojourn_curl_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1))
        try check(set(CURLOPT_USERAGENT, "sojourn-client"))
        let target = Unmanaged.passUnretained(receiver).toOpaque()
        try check(
            sojourn_curl_set_receiver(
                handle, CURLOPT_WRITEFUNCTION, HTTPReceiver.bodyCallback))
        try check(sojourn_curl_set_pointer(handle, CURLOPT_WRITEDATA, target))
        try check(
            sojourn_curl_set_receiver(
                handle, CURLOPT_HEADERFUNCTION, HTTPReceiver.lineCallback))
        try check(sojourn_curl_set_pointer(handle, CURLOPT_HEADERDATA, target))
        if let path = address.socketPath {
            try check(set(CURLOPT_UNIX_SOCKET_PATH, path))
        }
        // An empty name disables http_proxy: no proxy reaches our own loopback.
        if address.isLocal { try check(set(CURLOPT_PROXY, "")) }
        try trust()
    }

    /// Takes certificate authorities from where curl's command takes them; the library does not.
    private func trust() throws(HTTPFailure) {
        if let bundle = Self.environment("CURL_CA_BUNDLE") {
            try check(set(CURLOPT_CAINFO, bundle))
            return
        }
        if let folder = Self.environment("SSL_CERT_DIR") {
            try check(set(CURLOPT_CAPATH, folder))
        }
        if let file = Self.environment("SSL_CERT_FILE") {
            try check(set(CURLOPT_CAINFO, file))
        }
    }

    private func list(
        of request: HTTPRequest
    ) throws(HTTPFailure) -> UnsafeMutablePointer<curl_slist>? {
        // `Name:` alone makes libcurl leave a field out, `Name;` sends it empty.
        var lines = request.fields.map { field in
            field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value
        }
        if !request.asksFirst { lines.append("Expect:") }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw failure(.library, "out of memory")
            }
            list = longer
        }
        return list
    }

    private func set(_ option: CURLoption, _ text: String) -> CURLcode {
        text.withCString { sojourn_curl_set_pointer(handle, option, $0) }
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw failure(of: code) }
    }

    private func failure(_ kind: HTTPFailure.Kind, _ reason: String) -> HTTPFailure {
        HTTPFailure(kind: kind, origin: address.origin, reason: reason)
    }

    private func failure(of code: CURLcode) -> HTTPFailure {
        if receiver.isOverLimit {
            return failure(.tooLarge, "the answer is larger than this client takes")
        }
        let kind: HTTPFailure.Kind =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
                .unreachable
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
                .untrusted
            case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .notHTTP
            case CURLE_URL_MALFORMAT: .unsendable
            case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_UNKNOWN_OPTION,
                CURLE_BAD_FUNCTION_ARGUMENT, CURLE_NOT_BUILT_IN:
                .library
            default: .broken
            }
        // libcurl names the host that a Unix socket's requests pretend to have.
        if kind == .unreachable, address.socketPath != nil {
            return failure(kind, "nothing listens there")
        }
        let text = String(cString: reason)
        return failure(kind, text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value[0] != 0 else { return nil }
        return String(cString: value)
    }

    /// Once for the process, before the first handle and any second thread of ours.
    private static let library = curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32))
}
