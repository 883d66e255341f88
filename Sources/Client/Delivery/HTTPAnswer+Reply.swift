import Curl

extension HTTPAnswer {
    /// The media type in lower case, without its parameters.
    package var mediaType: String? {
        field("Content-Type").map(Reply.Response.mediaType)
    }

    /// As much of it as says what became of a batch.
    package var response: Reply.Response {
        Reply.Response(
            status: status, mediaType: mediaType ?? "", retryAfter: field("Retry-After"),
            date: field("Date"), location: field("Location"), body: body)
    }
}
