#if !canImport(CCurl)
import Core
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Posts bodies by URLSession: no cookies, no cache, no credentials, no redirects, at most 64 KiB of an
/// answer. Where libcurl is the system's own way, `CurlPoster` does it.
final class Poster: NSObject, URLSessionDataDelegate, Sendable {
    /// A request that can be given up.
    final class Posting: Sendable {
        fileprivate let task = Locked<URLSessionDataTask?>(nil)
        fileprivate let isCancelled = Locked(false)
        fileprivate let queue: DispatchQueue

        fileprivate init(queue: DispatchQueue) { self.queue = queue }

        func cancel() {
            isCancelled.use { $0 = true }
            queue.async { [self] in task.use { $0 }?.cancel() }
        }
    }

    private struct Exchange {
        var body: [UInt8] = []
        var isTooLong = false
        let finish: @Sendable (Reply) -> Void
    }

    /// On Linux a task waits for its session when it begins and ends: nobody else waits for that here.
    private let queue = DispatchQueue(label: "org.sojourn.client.poster")
    /// Touched on the session's queue, which is serial, and when a task is made.
    private let exchanges = Locked<[Int: Exchange]>([:])
    private let session = Locked<URLSession?>(nil)

    /// Posts a body.
    ///
    /// - Parameters:
    ///   - limit: Seconds in all.
    ///   - finish: Called once, from any thread.
    func post(
        _ url: URL, fields: [(name: String, value: String)], body: [UInt8], limit: Double,
        finish: @escaping @Sendable (Reply) -> Void
    ) -> Posting {
        var request = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: limit)
        request.httpMethod = "POST"
        request.httpBody = Data(body)
        request.httpShouldHandleCookies = false
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        #if canImport(FoundationNetworking)
        // Where a connection that is used again turns out to be dead, libcurl opens another and sends no
        // body on it (6.3.1): the attempt would hang until its end.
        request.setValue("close", forHTTPHeaderField: "Connection")
        #endif
        let posting = Posting(queue: queue)
        let made = request
        queue.async { [self] in
            guard !posting.isCancelled.use({ $0 }) else {
                return finish(.failure("cancelled"))
            }
            let task = begun().dataTask(with: made)
            posting.task.use { $0 = task }
            exchanges.use { $0[task.taskIdentifier] = Exchange(finish: finish) }
            task.resume()
        }
        return posting
    }

    private func begun() -> URLSession {
        session.use { known in
            if let known { return known }
            let made = URLSession(
                configuration: Self.configuration, delegate: self, delegateQueue: nil)
            known = made
            return made
        }
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 1
        return configuration
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(Darwin)
    /// No credentials of the system's, for a server or a proxy; only its own check of TLS.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isTLS =
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        completionHandler(isTLS ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }
    #endif

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = exchanges.use { exchanges in
            let task = dataTask.taskIdentifier
            guard exchanges[task] != nil else { return false }
            exchanges[task]?.body += data
            let isTooLong = (exchanges[task]?.body.count ?? 0) > Answer.maxLength
            if isTooLong {
                exchanges[task]?.isTooLong = true
                exchanges[task]?.body = []
            }
            return isTooLong
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let found = exchanges.use { $0.removeValue(forKey: task.taskIdentifier) }
        guard let found else { return }
        if found.isTooLong { return found.finish(.failure("an answer of more than 64 KiB")) }
        guard let response = task.response as? HTTPURLResponse, error == nil else {
            let code = (error as? URLError)?.code.rawValue ?? 0
            return found.finish(.failure("no answer (\(code))"))
        }
        func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
        found.finish(
            .answer(
                Reply.Response(
                    status: response.statusCode,
                    mediaType: Reply.Response.mediaType(of: field("Content-Type") ?? ""),
                    retryAfter: field("Retry-After"),
                    date: field("Date"), location: field("Location"), body: found.body)))
    }
}
#endif
