/// Reports that wait to be computed: they are taken in turn token by token, those of one token in the order
/// in which they came. So whoever asks for many waits for his own.
struct ReportLine {
    private var jobs: [ReportJob] = []
    /// When one of a token was taken last, counted in takes.
    private var taken: [Int64?: Int] = [:]
    private var takes = 0

    /// Tokens at most of which that is remembered.
    private static let mostTokens = 1024

    /// How many wait.
    var count: Int { jobs.count }

    /// How many wait that are pages of answers that have begun, by token.
    func pages(of token: Int64?) -> Int { jobs.count { $0.continuesStream && $0.token == token } }

    /// How many wait that are pages of answers that have begun.
    var pages: Int { jobs.count { $0.continuesStream } }

    mutating func append(_ job: ReportJob) { jobs.append(job) }

    mutating func remove(_ job: ReportJob) { jobs.removeAll { $0 === job } }

    mutating func removeAll() -> [ReportJob] {
        defer { jobs = [] }
        return jobs
    }

    /// One of this token was taken without a wait.
    mutating func note(_ token: Int64?) {
        takes += 1
        if taken.count >= Self.mostTokens { taken = [:] }
        taken[token] = takes
    }

    /// The next one: the first of the token whose last turn is the longest ago.
    mutating func take() -> ReportJob? {
        var best: Int?
        for place in jobs.indices {
            guard let other = best else {
                best = place
                continue
            }
            if turn(of: jobs[place]) < turn(of: jobs[other]) { best = place }
        }
        guard let best else { return nil }
        let job = jobs.remove(at: best)
        note(job.token)
        return job
    }

    /// Takes out the one that gives way to one of a token: the last of the token of which most wait, where
    /// these stay no fewer than those of the other.
    mutating func giveWay(to token: Int64?) -> ReportJob? {
        var waiting: [Int64?: Int] = [:]
        for job in jobs where !job.continuesStream { waiting[job.token, default: 0] += 1 }
        guard let most = waiting.max(by: { $0.value < $1.value }),
            most.value - 1 > waiting[token] ?? 0,
            let place = jobs.lastIndex(where: { !$0.continuesStream && $0.token == most.key })
        else { return nil }
        return jobs.remove(at: place)
    }

    private func turn(of job: ReportJob) -> Int { taken[job.token] ?? 0 }
}
