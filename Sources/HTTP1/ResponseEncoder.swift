/// Puts answers into bytes, appended to a buffer that is used again and again.
package enum ResponseEncoder {
    /// `HTTP/1.1 100 Continue` (RFC 9110 §15.2.1).
    package static func appendContinue(to output: inout [UInt8]) {
        append(&output, "HTTP/1.1 100 Continue\r\n\r\n")
    }

    /// Appends header and body. Of a streamed answer only the header: chunks follow by
    /// `appendChunkHead`, `appendChunkEnd` and `appendLastChunk`, or bare bytes if `form.streamEnd` is the connection's.
    /// - Parameter date: the moment as `HTTPDate.text` gives it.
    package static func append(
        _ response: borrowing Response, _ form: AnswerForm, date: [UInt8], to output: inout [UInt8]
    ) {
        appendHead(response, form, date: date, to: &output)
        let hasContent = response.status != 204 && response.status != 304
        if hasContent, !form.isHeaderOnly, response.stream == nil {
            output.append(contentsOf: response.body)
        }
    }

    /// Appends the header alone, of an answer whose body follows as it is.
    package static func appendHead(
        _ response: borrowing Response, _ form: AnswerForm, date: [UInt8], to output: inout [UInt8]
    ) {
        let status = (200...599).contains(response.status) ? response.status : 500
        if let line = StatusLine.known(status) {
            append(&output, line)
        } else {
            append(&output, "HTTP/1.1 ")
            appendDecimal(&output, status)
            append(&output, " \r\n")
        }
        append(&output, "Date: ")
        output.append(contentsOf: date)
        append(&output, "\r\n")
        let hasContent = status != 204 && status != 304
        if hasContent, let type = response.contentType {
            append(&output, "Content-Type: ")
            append(&output, type)
            append(&output, "\r\n")
        }
        for field in response.fields {
            append(&output, field.name)
            append(&output, ": ")
            appendValue(&output, field.value)
            append(&output, "\r\n")
        }
        if hasContent {
            if response.stream == nil {
                append(&output, "Content-Length: ")
                appendDecimal(&output, response.body.count)
                append(&output, "\r\n")
            } else if form.streamEnd == .chunked {
                append(&output, "Transfer-Encoding: chunked\r\n")
            }
        }
        if !form.keepsAlive {
            append(&output, "Connection: close\r\n")
        } else if form.version == .http10 {
            append(&output, "Connection: keep-alive\r\n")
        }
        append(&output, "\r\n")
    }

    /// Appends what goes before the payload of a chunk.
    /// - Parameter count: of the payload, which is not empty
    package static func appendChunkHead(_ count: Int, to output: inout [UInt8]) {
        var shift = (63 - count.leadingZeroBitCount) / 4 * 4
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: count >> shift & 15)
            output.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
            shift -= 4
        }
        append(&output, "\r\n")
    }

    /// Appends what goes after the payload of a chunk.
    package static func appendChunkEnd(to output: inout [UInt8]) { append(&output, "\r\n") }

    /// Appends the chunk that ends a body.
    package static func appendLastChunk(to output: inout [UInt8]) {
        append(&output, "0\r\n\r\n")
    }

    @inline(__always)
    private static func append(_ output: inout [UInt8], _ text: StaticString) {
        output.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func appendValue(_ output: inout [UInt8], _ value: String) {
        for byte in value.utf8 {
            output.append(CharacterClass.isFieldContent(byte) ? byte : Byte.space)
        }
    }

    private static func appendDecimal(_ output: inout [UInt8], _ value: Int) {
        var divisor = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            output.append(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}

/// Status lines (RFC 9112 §4) with the phrases of RFC 9110 §15 and RFC 6585.
enum StatusLine {
    /// The whole line for the statuses that the server uses, `nil` for another one.
    static func known(_ status: Int) -> StaticString? {
        switch status {
        case 200: "HTTP/1.1 200 OK\r\n"
        case 201: "HTTP/1.1 201 Created\r\n"
        case 202: "HTTP/1.1 202 Accepted\r\n"
        case 204: "HTTP/1.1 204 No Content\r\n"
        case 304: "HTTP/1.1 304 Not Modified\r\n"
        case 400: "HTTP/1.1 400 Bad Request\r\n"
        case 401: "HTTP/1.1 401 Unauthorized\r\n"
        case 403: "HTTP/1.1 403 Forbidden\r\n"
        case 404: "HTTP/1.1 404 Not Found\r\n"
        case 405: "HTTP/1.1 405 Method Not Allowed\r\n"
        case 406: "HTTP/1.1 406 Not Acceptable\r\n"
        case 408: "HTTP/1.1 408 Request Timeout\r\n"
        case 409: "HTTP/1.1 409 Conflict\r\n"
        case 410: "HTTP/1.1 410 Gone\r\n"
        case 411: "HTTP/1.1 411 Length Required\r\n"
        case 413: "HTTP/1.1 413 Content Too Large\r\n"
        case 414: "HTTP/1.1 414 URI Too Long\r\n"
        case 415: "HTTP/1.1 415 Unsupported Media Type\r\n"
        case 417: "HTTP/1.1 417 Expectation Failed\r\n"
        case 422: "HTTP/1.1 422 Unprocessable Content\r\n"
        case 429: "HTTP/1.1 429 Too Many Requests\r\n"
        case 431: "HTTP/1.1 431 Request Header Fields Too Large\r\n"
        case 500: "HTTP/1.1 500 Internal Server Error\r\n"
        case 501: "HTTP/1.1 501 Not Implemented\r\n"
        case 503: "HTTP/1.1 503 Service Unavailable\r\n"
        case 504: "HTTP/1.1 504 Gateway Timeout\r\n"
        case 505: "HTTP/1.1 505 HTTP Version Not Supported\r\n"
        case 507: "HTTP/1.1 507 Insufficient Storage\r\n"
        default: nil
        }
    }
}
