/// Reports that wait to be computed: they are taken in turn token by token, those of one token in the
/// order in which they came. So a client that asks for many waits for its own.
struct ReportLine {
    private var jobs: [ReportJob] = []
    /// When one of a token was taken last, counted in takes.
    private var taken: [Int64?: Int] = [:]
    private var takes = 0

    /// Maximum of tokens of which that is remembered.
    private static let maxTokens = 1024

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
        if taken.count >= Self.maxTokens { taken = [:] }
        taken[token] = takes
    }

    /// The next one: the first of the token whose last turn is the longest ago.
    mutating func take() -> ReportJob? {
        var best: Int?
        for index in jobs.indices {
            guard let other = best else {
                best = index
                continue
            }
            if turn(of: jobs[index]) < turn(of: jobs[other]) { best = index }
        }
        guard let best else { return nil }
        let job = jobs.remove(at: best)
        note(job.token)
        return job
    }

    /// Takes out the one that makes room for one of a token: the last of the token with most waiting,
    /// where these are then no fewer than those of the other.
    mutating func giveWay(to token: Int64?) -> ReportJob? {
        var waiting: [Int64?: Int] = [:]
        for job in jobs where !job.continuesStream { waiting[job.token, default: 0] += 1 }
        guard let busiest = waiting.max(by: { $0.value < $1.value }),
            busiest.value - 1 > waiting[token] ?? 0,
            let index = jobs.lastIndex(where: { !$0.continuesStream && $0.token == busiest.key })
        else { return nil }
        return jobs.remove(at: index)
    }

    private func turn(of job: ReportJob) -> Int { taken[job.token] ?? 0 }
}
