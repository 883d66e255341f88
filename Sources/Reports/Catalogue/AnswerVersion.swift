import Database
import Storage
import TimeZones

/// What an answer was made from, so that two answers of one version are the same octets in the same
/// form: the question with its defaults filled in, settings, the data (docs/reports.md, Caching by
/// ETag). It is read in a moment, without computing the report, and outlives restarts.
package enum AnswerVersion {
    /// The version of the answer to a question now, as octets to be hashed. Throws what the database
    /// throws. In the report's own transaction, so that both see the same data.
    static func octets(
        of question: Question, _ reading: Reading
    ) throws(StorageError) -> [UInt8] {
        var text = question.canonical
        text += "\n\(question.settings.minGroup) \(question.app.sessionTimeout)".utf8
        // Tzdata may be another one after a restart. Some reports look a month back, some for 90
        // months ahead.
        let window = question.zone.window(from: question.from, to: question.to)
        for segment in question.zone.segments(
            from: window.lowerBound - 32 * 86_400_000, to: window.upperBound + 2_800 * 86_400_000)
        {
            text += "\n\(segment.start) \(segment.offset)".utf8
        }
        let latest = try LatestBatch(of: question.app.id, reading)
        text += "\n\(latest.id) \(latest.receivedAt) ".utf8 + latest.batchID
        // Which database it is, and how often something of the app was taken away.
        let facts = try reading.prepare(
            """
            SELECT name, value FROM meta WHERE name IN ('key_check', 'restoration', ?1) ORDER BY name
            """)
        try facts.bind(1, Connection.removals(of: question.app.id))
        while try facts.step() { text += [0x0A] + facts.blob(0) + [0x20] + facts.blob(1) }
        for source in question.definition.sources {
            text += "\n\(try source.state(question, reading))".utf8
        }
        return text
    }
}
