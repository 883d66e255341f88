/// What a column or a member has to do with the devices that it is about, where small groups are
/// hidden (docs/reports.md, Small groups).
package enum GroupRole: Hashable, Sendable {
    /// It says which row it is, and stays whatever is hidden.
    case key
    /// It counts devices: a small count is hidden by itself.
    case count
    /// It counts the devices of its whole row: where it is small, all figures of the row are hidden.
    case size
    /// It is hidden where one of these counts is. Of a member: where one is in a row that the member
    /// is made of.
    case figure(of: [CountReference])
}
