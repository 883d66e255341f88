import HTTP1
import JSON

extension Response {
    /// A problem as its answer.
    /// - Parameter allow: the methods of a resource that has not the one that was asked for
    static func problem(_ problem: Problem, allow: String? = nil) -> Response {
        let row = problem.code.row
        var writer = JSON.Writer()
        writer.beginObject()
        writer.name("type")
        writer.string("about:blank")
        writer.name("title")
        writer.string(row.title)
        writer.name("status")
        writer.integer(Int64(row.status))
        writer.name("code")
        writer.string(problem.code.rawValue)
        writer.name("detail")
        writer.string(problem.detail)
        writer.endObject()
        var response = Response(
            status: row.status, contentType: "application/problem+json", body: writer.bytes)
        if let seconds = problem.retryAfter {
            response.fields.append(HeaderField("Retry-After", String(seconds)))
        }
        switch problem.code {
        case .unsupportedMediaType:
            response.fields.append(
                HeaderField("Accept", "application/json, application/jose"))
        case .unsupportedEncoding:
            response.fields.append(HeaderField("Accept-Encoding", "gzip, aes128gcm"))
        case _ where row.status == 401:
            response.fields.append(HeaderField("WWW-Authenticate", "Bearer"))
        default: break
        }
        if let allow { response.fields.append(HeaderField("Allow", allow)) }
        return response
    }

    /// Text for a person or a probe.
    static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }
}
