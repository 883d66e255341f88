/// Draws the size of figures after their row: a bar where a row has one drawn figure, a sparkline
/// where it has several.
enum TableDrawing {
    /// The length of the longest bar, in characters.
    static let width = 24

    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    private static let levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Draws a bar for each figure, the longest for the greatest. A figure above 0 has at least the
    /// thinnest bar, any other none.
    static func bars(of figures: [Int64?]) -> [String] {
        let greatest = figures.reduce(Int64(0)) { max($0, $1 ?? 0) }
        return figures.map { figure in
            guard let figure, figure > 0 else { return "" }
            let parts = max(1, scaled(figure, to: width * 8, of: greatest))
            return String(repeating: "█", count: parts / 8) + eighths[parts % 8]
        }
    }

    /// Draws a character for each figure of a row, the highest for the row's greatest. A figure
    /// above 0 is higher than the lowest character; a missing one is a space.
    static func sparkline(of figures: [Int64?]) -> String {
        heights(of: figures, from: 1, nothing: levels[0], missing: " ").joined()
    }

    /// A mark for each figure: eight heights for what is above 0, and others for nothing and for what is missing.
    static func marks(of figures: [Int64?]) -> [String] {
        heights(of: figures, from: 0, nothing: "·", missing: "?")
    }

    /// A character for each figure, of at least this height where it is above 0.
    private static func heights(
        of figures: [Int64?], from lowest: Int, nothing: String, missing: String
    ) -> [String] {
        let greatest = figures.reduce(Int64(0)) { max($0, $1 ?? 0) }
        return figures.map { figure in
            guard let figure else { return missing }
            guard figure > 0 else { return nothing }
            return levels[max(lowest, scaled(figure, to: levels.count - 1, of: greatest))]
        }
    }

    /// Rounded half up; `figure` from 1 to `greatest`.
    private static func scaled(_ figure: Int64, to size: Int, of greatest: Int64) -> Int {
        let (double, whole) = (2 * Int128(size) * Int128(figure), Int128(greatest))
        return Int((double + whole) / (2 * whole))
    }
}
