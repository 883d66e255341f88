#if canImport(CCurl)
import CCurl
import Core
import Foundation

/// Posts bodies by libcurl, on systems without a URLSession of their own: no cookies, no cache, no
/// credentials, no redirects, at most 64 KiB of an answer.
///
/// FoundationNetworking (6.3.1) would do it if all servers were kind. It ends the process where one says
/// `Content-Length: 9223372036854775807` or sends thousands of trailers, and takes an answer without end
/// into memory faster than it can be cancelled.
final class CurlPoster: Sendable {
    /// A request that can be given up.
    final class Posting: Sendable {
        nonisolated(unsafe) fileprivate let transfers = curl_multi_init()
        fileprivate let isCancelled = Locked(false)

        deinit { curl_multi_cleanup(transfers) }

        func cancel() {
            isCancelled.use { $0 = true }
            curl_multi_wakeup(transfers)
        }
    }

    /// Once for the process.
    private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Posts a body.
    ///
    /// - Parameters:
    ///   - limit: Seconds in all.
    ///   - finish: Called once, from another thread.
    func post(
        _ url: URL, fields: [(name: String, value: String)], body: [UInt8], limit: Double,
        finish: @escaping @Sendable (Reply) -> Void
    ) -> Posting {
        let isReady = Self.library == CURLE_OK
        let posting = Posting()
        let lines = fields.map { "\($0.name): \($0.value)" } + ["Expect:", "Connection: close"]
        let thread = Thread {
            guard isReady, lines.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
            else { return finish(.failure("it cannot be sent")) }
            // A connection that breaks while TLS writes is an error here and no signal.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            finish(Self.exchange(url.absoluteString, lines, body, limit, posting))
        }
        thread.name = "org.sojourn.client.post"
        thread.qualityOfService = .utility
        thread.stackSize = 1 << 19
        thread.start()
        return posting
    }

    private static func exchange(
        _ url: String, _ lines: [String], _ body: [UInt8], _ limit: Double, _ posting: Posting
    ) -> Reply {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        defer { curl_slist_free_all(list) }
        let answer = CurlAnswer()
        let outcome = body.withUnsafeBufferPointer { body in
            withExtendedLifetime(answer) {
                CurlRace(posting.transfers) { handle in
                    prepare(handle, url, list, limit, answer)
                    sojourn_curl_set_size(
                        handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
                    sojourn_curl_set_pointer(handle, CURLOPT_POSTFIELDS, body.baseAddress)
                }.run { posting.isCancelled.use { $0 } }
            }
        }
        guard let outcome else { return .failure("cancelled") }
        if answer.isTooLong || outcome.result == CURLE_FILESIZE_EXCEEDED {
            return .failure("an answer of more than 64 KiB")
        }
        guard outcome.result == CURLE_OK,
            let response = answer.response(status: outcome.status)
        else { return .failure("no answer (\(outcome.result.rawValue))") }
        return .answer(response)
    }

    private static func prepare(
        _ handle: UnsafeMutableRawPointer, _ url: String,
        _ list: UnsafeMutablePointer<curl_slist>?, _ limit: Double, _ answer: CurlAnswer
    ) {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_POST, 1), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_HTTP09_ALLOWED, 0),
            (CURLOPT_TIMEOUT_MS, Int(limit * 1000)), (CURLOPT_MAXFILESIZE, Answer.maxLength),
        ]
        for (option, value) in numbers { sojourn_curl_set_long(handle, option, value) }
        let texts: [(CURLoption, String)] = [
            (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_USERAGENT, "sojourn-swift/\(Device.sdkVersion)"),
            (CURLOPT_ACCEPT_ENCODING, "gzip"),
        ]
        for (option, text) in texts {
            _ = text.withCString { sojourn_curl_set_pointer(handle, option, $0) }
        }
        sojourn_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        let target = Unmanaged.passUnretained(answer).toOpaque()
        sojourn_curl_set_pointer(handle, CURLOPT_WRITEDATA, target)
        sojourn_curl_set_pointer(handle, CURLOPT_HEADERDATA, target)
        sojourn_curl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, target in
            CurlPoster.hand(bytes, size * count, target) { $0.take(body: $1) }
        }
        sojourn_curl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, target in
            CurlPoster.hand(bytes, size * count, target) { $0.take(line: $1) }
        }
    }

    /// Hands a piece on. libcurl stops where not all of it is taken.
    private static func hand(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ target: UnsafeMutableRawPointer?,
        _ take: (CurlAnswer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let target else { return 0 }
        let answer = Unmanaged<CurlAnswer>.fromOpaque(target).takeUnretainedValue()
        let isTaken = take(answer, UnsafeRawBufferPointer(start: bytes, count: count))
        return isTaken ? count : 0
    }
}
#endif
