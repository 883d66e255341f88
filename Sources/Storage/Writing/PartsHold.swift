/// Says that a request is being stored part by part, as long as somebody holds it (`StoreWriter.beginParts`).
package final class PartsHold: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
