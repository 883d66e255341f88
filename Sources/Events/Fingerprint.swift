/// What tells a record from all others of its device: 64 bits of a SHA-256 over its resource, its time to the
/// nanosecond, its name and its attributes (docs/opentelemetry.md, What is known again). Two that differ have the same
/// once in 10^19.
package struct Fingerprint: Hashable, Comparable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) { self.value = value }

    package static func < (left: Fingerprint, right: Fingerprint) -> Bool {
        left.value < right.value
    }
}
