import FuzzSupport
import HTTP1

/// Everything that can happen to a connection besides octets, in any order: clocks that pass,
/// writes that stall, streams, too little room, an end of the client or the server. Nothing here is foretold; the
/// machine must neither trap, nor loop, nor forget its promises.
enum Chaos {
    static func run(_ input: [UInt8], _ cuts: [Int], _ choices: Choices, seed: Int) {
        var generator = SplitMix(seed: UInt64(seed) ^ 0xc4a5)
        var machine = ConnectionMachine(limits: choices.limits, timeouts: Timeouts(), now: 0)
        var window: [UInt8] = []
        var now: Int64 = 0
        var start = 0
        var isOpen = true
        for cut in cuts where isOpen {
            window += input[start..<cut]
            start = cut
            now += Int64(generator.next() % 3_000_000_000)
            isOpen = happen(&machine, &window, generator.next(), now)
            if isOpen { isOpen = advance(&machine, &window, choices, &generator, now) }
        }
    }

    /// - Returns: false once the connection is closed.
    private static func happen(
        _ machine: inout ConnectionMachine, _ window: inout [UInt8], _ dice: UInt64, _ now: Int64
    ) -> Bool {
        var action = ConnectionMachine.Action.wait
        switch dice % 16 {
        case 0: action = machine.peerEnded()
        case 1: action = machine.stop()
        case 2: machine.willStop()
        case 3, 4: action = machine.expire(now: now)
        case 5: _ = machine.wrote(Int(dice >> 40), pending: 1, now: now)
        case 6, 7: return written(&machine, now)
        case 8: machine.streamEnded(now: now)
        case 9: return reply(&machine, dice, now)
        case 10, 11:
            action = machine.giveWay()
            window = []
        default: break
        }
        switch action {
        case .refuse: return reply(&machine, dice, now)
        case .close: return false
        case .wait: return true
        default:
            expect(false, "\(action) without octets")
            return false
        }
    }

    private static func reply(
        _ machine: inout ConnectionMachine, _ dice: UInt64, _ now: Int64
    ) -> Bool {
        guard
            machine.answer(closes: dice >> 8 & 7 == 0, streams: dice >> 11 & 3 == 0, now: now)
                != nil
        else { return true }
        return dice >> 13 & 3 == 0 ? true : written(&machine, now)
    }

    private static func written(_ machine: inout ConnectionMachine, _ now: Int64) -> Bool {
        switch machine.wrote(1, pending: 0, now: now) {
        case .resume: return true
        case .close: return false
        case .linger:
            machine.linger(now: now)
            return true
        }
    }

    private static func advance(
        _ machine: inout ConnectionMachine, _ window: inout [UInt8], _ choices: Choices,
        _ generator: inout SplitMix, _ now: Int64
    ) -> Bool {
        var steps = 0
        while true {
            steps += 1
            expect(steps <= 4 * window.count + 64, "no end is in sight")
            // While an answer is stuck nothing is looked at.
            if steps > 1, !machine.isEnding, generator.next() % 8 == 0 { return true }
            var span = window.mutableSpan
            switch machine.advance(&span, now: now) {
            case .read(let keep):
                expect((0...window.count).contains(keep), "more is kept than there is")
                expect(keep <= choices.headBound + choices.bodyLimit, "\(keep) octets are kept")
                window = Array(window[..<keep])
                return true
            case .drop(let count):
                expect(count > 0 && count <= window.count, "\(count) octets are dropped")
                window.removeFirst(count)
            case .admit:
                _ = HeadPromises.describe(machine.head, window, choices)
                switch generator.next() % 8 {
                case 0, 1: if !reply(&machine, generator.next(), now) { return false }
                case 2: machine.skipBody()
                case 3:
                    machine.readBody(
                        limit: choices.bodyLimit, openingBytes: Int(generator.next() % 32))
                default: machine.readBody(limit: choices.bodyLimit)
                }
            case .judgeOpening(let body):
                expect(
                    body.count <= choices.bodyLimit && body.upperBound <= window.count,
                    "an opening too large")
                window = Array(window[..<body.upperBound])
                if generator.next() % 2 == 0 {
                    if !reply(&machine, generator.next(), now) { return false }
                } else {
                    machine.readOn(openingBytes: body.count + 1)
                    return true
                }
            case .sendContinue: break
            case .handle(let body, let end):
                expect(body.count <= choices.bodyLimit && end <= window.count, "a body too large")
                window.removeFirst(end)
                if generator.next() % 2 == 0, !reply(&machine, generator.next(), now) {
                    return false
                }
            case .refuse: if !reply(&machine, generator.next(), now) { return false }
            case .wait: return true
            case .close: return false
            }
        }
    }
}
