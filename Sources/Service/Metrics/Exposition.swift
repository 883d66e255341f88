/// Writes Prometheus text, version 0.0.4.
struct Exposition {
    static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// `HELP` and `TYPE`, before the samples.
    mutating func begin(_ metric: Metric) {
        text += "# HELP \(metric.rawValue) \(Self.escaped(metric.row.help, quotes: false))\n"
        text += "# TYPE \(metric.rawValue) \(metric.row.kind.rawValue)\n"
    }

    /// One sample; labels in the metric's order.
    mutating func sample(
        _ metric: Metric, suffix: String = "", labels: [String] = [], bound: String? = nil,
        _ value: Double
    ) {
        var pairs = zip(metric.row.labels, labels).map { name, label in
            "\(name)=\"\(Self.escaped(label, quotes: true))\""
        }
        if let bound { pairs.append("le=\"\(bound)\"") }
        let list = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        text += "\(metric.rawValue)\(suffix)\(list) \(Self.number(value))\n"
    }

    /// All samples of one histogram.
    mutating func samples(_ metric: Metric, labels: [String] = [], of histogram: Histogram) {
        let reading = histogram.reading
        for (bound, count) in zip(histogram.bounds, reading.within) {
            sample(
                metric, suffix: "_bucket", labels: labels, bound: Self.number(bound), Double(count))
        }
        sample(metric, suffix: "_bucket", labels: labels, bound: "+Inf", Double(reading.count))
        sample(metric, suffix: "_sum", labels: labels, reading.sum)
        sample(metric, suffix: "_count", labels: labels, Double(reading.count))
    }

    /// Whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    static func escaped(_ text: String, quotes: Bool) -> String {
        var out = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\"" where quotes: out += "\\\""
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}
