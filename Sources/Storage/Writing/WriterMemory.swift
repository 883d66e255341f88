/// What the writer may go on believing of rows after administrative work that changed some.
package enum WriterMemory: Sendable {
    case all
    /// Rows of names and attribute keys were deleted.
    case allButWords
    case none
}
