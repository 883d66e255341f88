import Events

/// A name of events as segments have it.
package struct SegmentName: Hashable {
    /// Row of `name`.
    let row: Int64
    /// What a segment keeps of the attributes.
    let subject: SubjectKind
    /// The attribute with the subject.
    package let key: StandardAttribute?
    /// What its events are to their session.
    let kind: SessionEventKind

    package init(row: Int64, text: String) {
        let event = StandardEvent(rawValue: text)
        self.row = row
        subject = SubjectKind(event)
        key = subject == .none ? nil : event?.required
        kind = SessionEventKind(name: text)
    }
}
