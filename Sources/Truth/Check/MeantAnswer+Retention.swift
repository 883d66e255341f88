import TimeZones

extension MeantAnswer {
    /// What is meant on a day: in `retention` a period that begins after it is `null` (docs/reports.md,
    /// retention).
    func asked(on today: CivilDate) -> MeantAnswer {
        guard report == "retention",
            let cohort = parameters.first(where: { $0.name == "cohort" })?.value,
            let interval = Interval(rawValue: cohort)
        else { return self }
        var answer = self
        for (number, row) in rows.enumerated() {
            guard let date = row[0].string, var start = CivilDate(parsing: Array(date.utf8)) else {
                continue
            }
            for column in columns.indices.dropFirst(2) {
                if start > today { answer.rows[number][column] = .null }
                start = interval.next(after: start) ?? start
            }
        }
        return answer
    }
}
