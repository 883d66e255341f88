import Dashboard
import HTTP1

/// `GET /`: the page for people. It needs no token, since it holds no data (docs/dashboard.md, How it is served).
struct DashboardRoute: Sendable {
    /// Both answers that have the page in one coding.
    private struct Answers: Sendable {
        let tag: EntityTag
        /// The page.
        let whole: Response
        /// 304, for who has it.
        let unchanged: Response

        init(_ page: DashboardPage.Representation, _ fields: [HeaderField]) {
            tag = EntityTag(text: page.tag)
            let fields = [tag.field] + fields
            unchanged = Response(status: 304, fields: fields)
            whole = Response(
                status: 200, contentType: DashboardPage.contentType, body: page.body,
                fields: fields + (page.coding.map { [HeaderField("Content-Encoding", $0)] } ?? []))
        }
    }

    private let identity: Answers
    private let gzip: Answers
    /// Where those wait that their readers have not taken.
    private let room: AnswerRoom

    init(_ page: DashboardPage, answers room: AnswerRoom) {
        let fields = page.fields.map { HeaderField($0.name, $0.value) }
        identity = Answers(page.identity, fields)
        gzip = Answers(page.gzip, fields)
        self.room = room
    }

    func response(to head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Response {
        var known: [String] = []
        head.forEachValue(of: .ifNoneMatch) { range in
            known.append(
                bytes.extracting(range).withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                })
        }
        return response(isCoded: AcceptEncoding(head, bytes).prefersGzip, unless: known)
    }

    /// - Parameter known: the values of `If-None-Match`
    func response(isCoded: Bool, unless known: [String]) -> Response {
        let answers = isCoded ? gzip : identity
        if answers.tag.isNamed(by: known) { return answers.unchanged }
        return room.admit(answers.whole, of: AnswerRoom.anyone)
    }
}
