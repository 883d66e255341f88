/// A figure's size as a drawing, behind the row that it stands in: a bar where a row has one figure to
/// be seen at a glance, a sparkline where it has several.
enum TableDrawing {
    /// Characters of the longest bar.
    static let width = 24

    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    private static let levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Bars for figures of which the greatest has the longest one. What is above 0 has at least the
    /// thinnest, what is missing or not above 0 none.
    static func bars(of figures: [Int64?]) -> [String] {
        let greatest = figures.reduce(Int64(0)) { max($0, $1 ?? 0) }
        return figures.map { figure in
            guard let figure, figure > 0 else { return "" }
            let parts = max(1, scaled(figure, to: width * 8, of: greatest))
            return String(repeating: "█", count: parts / 8) + eighths[parts % 8]
        }
    }

    /// A character for each figure of a row, the greatest of the row the highest; what is above 0 is
    /// above the lowest. A figure that is missing is a space.
    static func sparkline(of figures: [Int64?]) -> String {
        let greatest = figures.reduce(Int64(0)) { max($0, $1 ?? 0) }
        let line = figures.map { figure in
            guard let figure else { return " " }
            guard figure > 0 else { return levels[0] }
            return levels[max(1, scaled(figure, to: levels.count - 1, of: greatest))]
        }
        return line.joined()
    }

    /// Rounded half up; `figure` from 1 to `greatest`.
    private static func scaled(_ figure: Int64, to size: Int, of greatest: Int64) -> Int {
        let (double, whole) = (2 * Int128(size) * Int128(figure), Int128(greatest))
        return Int((double + whole) / (2 * whole))
    }
}
