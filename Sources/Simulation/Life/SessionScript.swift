import Client

/// What somebody does in the app during one stretch of use: a walk over the app's screens, an order now and
/// then, something to read and to watch.
struct SessionScript {
    /// A page of the app with where it leads.
    private struct Screen {
        let name: String
        /// Milliseconds that it usually takes to load.
        let load: Int
        let next: [(index: Int, weight: Int)]
    }

    private static let screens = [
        Screen(
            name: "home", load: 320, next: [(1, 40), (5, 18), (6, 14), (7, 12), (8, 10), (9, 6)]),
        Screen(name: "menu", load: 260, next: [(2, 60), (0, 15), (3, 15), (5, 10)]),
        Screen(name: "product", load: 210, next: [(1, 45), (3, 35), (0, 20)]),
        Screen(name: "cart", load: 110, next: [(4, 55), (1, 30), (0, 15)]),
        Screen(name: "checkout", load: 380, next: [(0, 70), (3, 15), (7, 15)]),
        Screen(name: "offers", load: 290, next: [(1, 40), (2, 30), (0, 30)]),
        Screen(name: "news", load: 240, next: [(6, 50), (0, 35), (1, 15)]),
        Screen(name: "profile", load: 90, next: [(0, 60), (1, 25), (7, 15)]),
        Screen(name: "stores", load: 450, next: [(0, 50), (1, 30), (8, 20)]),
        Screen(name: "videos", load: 520, next: [(9, 55), (0, 45)]),
    ]
    private static let weights = screens.map { $0.next.map(\.weight) }
    private static let counters = [
        "tap.order", "tap.favourite", "scroll.depth", "tap.share", "search.typed", "pull.refresh",
        "tap.banner", "map.zoom",
    ]
    private static let channels = ["pickup", "delivery", "table"]
    private static let payments = ["card", "wallet", "invoice", "cash"]
    private static let survey = ["survey.shown", "survey.begun", "survey.answered"]

    private var random: SeededRandom
    private var loads: LoadTimes
    private var clock: EventTimes
    /// What is in the cart, in cents, and how many pieces.
    private var total: Int64 = 0
    private var pieces: Int64 = 0
    /// What was said.
    private(set) var actions: [TimedAction] = []

    /// The script of the stretch that `clock` is at the beginning of.
    init(_ clock: EventTimes, random: SeededRandom, loads: LoadTimes) {
        self.clock = clock
        self.random = random
        self.loads = loads
    }

    /// Plays until the stretch is over.
    ///
    /// - Parameter isNew: Whether the user comes from elsewhere: then the walk begins at home.
    mutating func play(isNew: Bool) {
        var index = isNew ? 0 : random.earlyIndex(below: Self.screens.count)
        guard pass(200...1_500) else { return }
        repeat {
            visit(Self.screens[index])
            let next = Self.screens[index].next
            index = next[random.index(in: Self.weights[index])].index
        } while pass(2_500...24_000)
    }

    private mutating func visit(_ screen: Screen) {
        let load = Double(loads.next(usual: screen.load)) / 10
        say(
            Said(
                "screen.view", ("app.screen.name", .string(screen.name)),
                ("app.screen.load_ms", .double(load))))
        switch screen.name {
        case "menu" where pass(100...900):
            let channel = Self.channels[random.earlyIndex(below: Self.channels.count)]
            say(Said("order.menu", isOwn: true, ("order.channel", .string(channel))))
        case "product": product()
        case "checkout": checkout()
        case "news": article()
        case "videos": video()
        case "profile" where random.chance(perMille: 160): answerSurvey()
        default: break
        }
        guard random.chance(perMille: 450), pass(300...4_000) else { return }
        let name = Self.counters[random.earlyIndex(below: Self.counters.count)]
        let count = random.chance(perMille: 500) ? 1 : 1 + random.earlyIndex(below: 12)
        say(
            Said(
                "usage.counter", ("counter.name", .string(name)),
                ("counter.value", .integer(Int64(count)))))
    }

    private mutating func product() {
        guard random.chance(perMille: 550), pass(1_500...9_000) else { return }
        let price = Int64(random.within(19...149)) * 10
        total += price
        pieces += 1
        say(
            Said(
                "order.item_added", isOwn: true,
                ("product.id", .string("p-\(random.earlyIndex(below: 60) + 1)")),
                ("product.price", .double(Double(price) / 100))))
    }

    private mutating func checkout() {
        guard pieces > 0, pass(400...2_000) else { return }
        say(Said("order.checkout", isOwn: true, ("order.items", .integer(pieces))))
        guard random.chance(perMille: 640), pass(4_000...30_000) else { return }
        let payment = Self.payments[random.earlyIndex(below: Self.payments.count)]
        say(
            Said(
                "order.purchase", isOwn: true, ("order.items", .integer(pieces)),
                ("order.total", .double(Double(total) / 100)),
                ("payment.method", .string(payment)),
                ("order.voucher", .boolean(random.chance(perMille: 180)))))
        total = 0
        pieces = 0
    }

    /// Some articles are pages in a web view, some are the app's own.
    private mutating func article() {
        guard pass(300...2_000) else { return }
        let number = random.earlyIndex(below: 40) + 1
        let id = "article-\(number)"
        let isPage = number % 2 == 0
        let subject = (key: "content.id", value: Value.string(id))
        say(isPage ? WebPage.content("content.view", id: id) : Said("content.view", subject))
        guard random.chance(perMille: 380), pass(8_000...60_000) else { return }
        say(
            isPage
                ? WebPage.content("content.complete", id: id)
                : Said("content.complete", [subject], .completed))
    }

    private mutating func video() {
        guard random.chance(perMille: 700), pass(500...4_000) else { return }
        let id = "video-\(random.earlyIndex(below: 12) + 1)"
        let video = (key: "video.id", value: Value.string(id))
        say(Said("video.enter_fullscreen", video))
        // Who leaves the app while watching never tells that the video's end was left.
        guard pass(5_000...90_000) else { return }
        say(Said("video.exit_fullscreen", video))
    }

    /// A funnel in a page.
    private mutating func answerSurvey() {
        let form = "f\(random.below(3) + 1)"
        for step in Self.survey {
            guard pass(600...9_000) else { return }
            say(WebPage.step(step, form: form))
            guard random.chance(perMille: 600) else { return }
        }
    }

    private mutating func pass(_ span: ClosedRange<Int>) -> Bool {
        clock.pass(Int64(random.within(span)))
    }

    private mutating func say(_ said: Said) {
        actions.append(TimedAction(time: clock.now, action: .say(said)))
    }
}
