import JSON

/// What somebody does in the app during one stretch of a session, written as events: a walk over the
/// app's screens, an order now and then, something to read and to watch.
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
    private static let counters = [
        "tap.order", "tap.favourite", "scroll.depth", "tap.share", "search.typed", "pull.refresh",
        "tap.banner", "map.zoom",
    ]
    private static let channels = ["pickup", "delivery", "table"]
    private static let payments = ["card", "wallet", "invoice", "cash"]
    private static let webEvents = ["survey.shown", "survey.answered", "terms.accepted"]

    private let session: String
    private var random: SeededRandom
    private var loads: LoadTimes
    private var time: Int64
    private let end: Int64
    /// What is in the cart, in cents, and how many pieces.
    private var total: Int64 = 0
    private var pieces = 0
    /// How many events were written.
    private(set) var count = 0

    /// The script of a batch's stretch of `session`.
    init(_ batch: PlannedBatch, session: String, random: SeededRandom, loads: LoadTimes) {
        self.session = session
        self.random = random
        self.loads = loads
        time = batch.start
        end = batch.start + batch.length
    }

    /// Writes all events of the stretch as elements of an array that is open.
    mutating func write(
        opening: PlannedBatch.Opening, closing: PlannedBatch.Closing, to writer: inout Writer
    ) {
        switch opening {
        case .start: event("session.start", to: &writer)
        case .resume: event("session.resume", to: &writer)
        }
        var index = opening == .start ? 0 : random.earlyIndex(below: Self.screens.count)
        advance(by: 200...1_500)
        while time < end {
            visit(Self.screens[index], to: &writer)
            let next = Self.screens[index].next
            index = next[random.index(in: next.map(\.weight))].index
            advance(by: 2_500...24_000)
        }
        if closing == .end {
            time = end
            event("session.end", to: &writer)
        }
    }

    /// Writes the end of an earlier session.
    mutating func writeEnd(of session: String, at time: Int64, to writer: inout Writer) {
        begin("session.end", at: time, session: session, to: &writer)
        finish(to: &writer)
    }

    private mutating func visit(_ screen: Screen, to writer: inout Writer) {
        begin("screen.view", at: time, session: session, to: &writer)
        writer.member("app.screen.name", screen.name)
        writer.name("app.screen.load_ms")
        writer.fixed(loads.next(usual: screen.load), decimals: 1)
        finish(to: &writer)
        switch screen.name {
        case "menu": order(step: "order.menu", to: &writer)
        case "product": product(to: &writer)
        case "checkout": checkout(to: &writer)
        case "news": article(to: &writer)
        case "videos": video(to: &writer)
        case "profile" where random.chance(perMille: 120):
            let name = Self.webEvents[random.below(Self.webEvents.count)]
            event("webview.event", "webview.event.name", name, to: &writer)
        default: break
        }
        guard random.chance(perMille: 450), pass(300...4_000) else { return }
        begin("usage.counter", at: time, session: session, to: &writer)
        writer.member("counter.name", Self.counters[random.earlyIndex(below: Self.counters.count)])
        if random.chance(perMille: 500) {
            writer.member("counter.value", 1 + random.earlyIndex(below: 12))
        }
        finish(to: &writer)
    }

    private mutating func order(step name: String, to writer: inout Writer) {
        guard pass(100...900) else { return }
        let channel = Self.channels[random.earlyIndex(below: Self.channels.count)]
        event(name, "order.channel", channel, to: &writer)
    }

    private mutating func product(to writer: inout Writer) {
        guard random.chance(perMille: 550), pass(1_500...9_000) else { return }
        let price = Int64(random.within(19...149)) * 10
        total += price
        pieces += 1
        begin("order.item_added", at: time, session: session, to: &writer)
        writer.member("product.id", "p-\(random.earlyIndex(below: 60) + 1)")
        writer.name("product.price")
        writer.fixed(price, decimals: 2)
        finish(to: &writer)
    }

    private mutating func checkout(to writer: inout Writer) {
        guard pieces > 0, pass(400...2_000) else { return }
        begin("order.checkout", at: time, session: session, to: &writer)
        writer.member("order.items", pieces)
        finish(to: &writer)
        guard random.chance(perMille: 640), pass(4_000...30_000) else { return }
        begin("order.purchase", at: time, session: session, to: &writer)
        writer.member("order.items", pieces)
        writer.name("order.total")
        writer.fixed(total, decimals: 2)
        writer.member(
            "payment.method", Self.payments[random.earlyIndex(below: Self.payments.count)])
        writer.member("order.voucher", random.chance(perMille: 180))
        finish(to: &writer)
        total = 0
        pieces = 0
    }

    private mutating func article(to writer: inout Writer) {
        guard pass(300...2_000) else { return }
        let article = "article-\(random.earlyIndex(below: 40) + 1)"
        event("content.view", "content.id", article, to: &writer)
        guard random.chance(perMille: 380), pass(8_000...60_000) else { return }
        event("content.complete", "content.id", article, to: &writer)
    }

    private mutating func video(to writer: inout Writer) {
        guard random.chance(perMille: 700), pass(500...4_000) else { return }
        let video = "video-\(random.earlyIndex(below: 12) + 1)"
        event("video.enter_fullscreen", "video.id", video, to: &writer)
        // Who leaves the app while watching never tells that the video's end was left.
        guard pass(5_000...90_000) else { return }
        event("video.exit_fullscreen", "video.id", video, to: &writer)
    }

    /// Lets time go by; false if the stretch would be over.
    private mutating func pass(_ span: ClosedRange<Int>) -> Bool {
        let then = time + Int64(random.within(span))
        guard then < end else { return false }
        time = then
        return true
    }

    private mutating func advance(by span: ClosedRange<Int>) {
        time += Int64(random.within(span))
    }

    private mutating func event(_ name: String, to writer: inout Writer) {
        begin(name, at: time, session: session, to: &writer)
        finish(to: &writer)
    }

    private mutating func event(
        _ name: String, _ attribute: String, _ value: String, to writer: inout Writer
    ) {
        begin(name, at: time, session: session, to: &writer)
        writer.member(attribute, value)
        finish(to: &writer)
    }

    private mutating func begin(
        _ name: String, at time: Int64, session: String, to writer: inout Writer
    ) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("time", time)
        writer.name("attributes")
        writer.beginObject()
        writer.member("session.id", session)
        count += 1
    }

    private mutating func finish(to writer: inout Writer) {
        writer.endObject()
        writer.endObject()
    }
}
