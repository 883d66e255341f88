/// One cell in which an answer is not what was meant.
package struct TruthDifference: Sendable, Equatable {
    package let report: String
    package let parameters: [Parameter]
    /// The row's key, such as `date 2026-11-03, name screen.view`; `members` for what stands beside rows.
    package let row: String
    package let column: String
    /// As JSON; `row missing` where the server has none.
    package let server: String
    /// As JSON; `row too many` where none was meant.
    package let meant: String
}
