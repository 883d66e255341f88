import JSON

/// A small JSON value whose members keep their order: what commands print and control answers.
package indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case text(String)
    /// Written as seconds, with a fraction only where there is one.
    case seconds(milliseconds: Int64)
    /// JSON text already.
    case raw(String)
    case array([JSONValue])
    case object([(String, JSONValue)])
}
