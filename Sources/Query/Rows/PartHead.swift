/// What the head of a part tells (`SegmentReader`), to be handed on: the reader itself would be copied.
struct PartHead {
    /// Row of its device and of its batch's resource.
    let device: Int64
    let resource: Int64
    /// Times of its earliest and its latest event, milliseconds since 1970-01-01T00:00:00Z.
    let first: Int64
    let last: Int64
}
