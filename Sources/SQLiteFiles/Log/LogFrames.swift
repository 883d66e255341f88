import Database

/// The frames of SQLite's log, each a page as a commit left it
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log, 4.2).
enum LogFrames {
    /// Looks at the frames that belong to the log's header: behind them stand those of earlier turns.
    /// - Parameter isWanted: is given the number of each frame's page, and ends the walk where it is true
    /// - Returns: where they end, or the wanted one begins, in octets; 0 for a log without a header
    package static func walk(
        _ log: borrowing LayerFile, until isWanted: (Int) -> Bool = { _ in false }
    ) throws(StorageError) -> Int {
        guard let header = try LogHeader(of: log) else { return 0 }
        var frame = [UInt8](repeating: 0, count: LogFrame.header)
        var end = LogHeader.count
        let length = try log.length()
        while length - end >= LogFrame.count, try log.read(into: &frame, at: end),
            frame[8..<16] == header.salts
        {
            if isWanted(frame[..<4].reduce(0) { $0 << 8 | Int($1) }) { break }
            end += LogFrame.count
        }
        return end
    }
}
