/// What is asked for: names that simulated apps send, and every question about them.
extension TruthQuestion {
    private static let screen = "screen.view"
    private static let screenName = "app.screen.name"
    private static let loadTime = "app.screen.load_ms"
    private static let purchase = "order.purchase"
    private static let orderTotal = "order.total"
    private static let orderItems = "order.items"
    private static let order = ["order.menu", "order.item_added", "order.checkout", purchase]
    private static let reading = ["session.start", "content.view", "content.complete"]
    private static let iOS = Filter.only(.osName, "iOS")
    private static let mostCommonVersion = Filter.mostCommon(.serviceVersion)

    /// All questions, in the order of the contract's reports. `export` and `devices` are none: they show
    /// single events under hashed ids.
    static let all: [TruthQuestion] = [
        .active(.day),
        .active(.week),
        .active(.month),
        .active(.all),
        .active(.day, where: iOS),
        .sessions(.day),
        .sessions(.week),
        .sessions(.month),
        .sessions(.all),
        .sessions(.day, where: iOS),
        .lengths(),
        .hours(),
        .retention(.day),
        .retention(.week),
        .retention(.month),
        .retention(.day, where: mostCommonVersion),
        .events(),
        .events(by: .day),
        .events(where: iOS),
        .events(name: screen, by: screenName),
        .events(name: purchase, by: orderItems),
        .values(name: screen, of: loadTime),
        .values(name: screen, of: loadTime, interval: .day),
        .values(name: screen, of: loadTime, by: "os.name"),
        .values(name: screen, of: loadTime, by: screenName),
        .values(name: screen, of: loadTime, by: "service.version", interval: .week),
        .values(name: purchase, of: orderTotal),
        .counters(),
        .counters(by: .week),
        .platforms(),
        .platforms(where: iOS),
        .versions(.osName),
        .versions(.osVersion),
        .versions(.serviceVersion),
        .versions(.model),
        .versions(.serviceVersion, by: .week),
        .funnel(order, withinHours: 1),
        .funnel(reading, withinHours: 24),
        .funnel(order, withinHours: 1, where: iOS),
        .content(),
        .content(where: iOS),
        .content(where: mostCommonVersion),
        .videos(),
        .lifetime(),
        .lifetime(inactive: 7),
        .lifetime(where: mostCommonVersion),
        .quality(),
        .rejects(),
    ]
}
