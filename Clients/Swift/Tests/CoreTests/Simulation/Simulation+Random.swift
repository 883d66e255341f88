extension Simulation {
    /// One of twenty things that an app does, most of them what is done most.
    func step(_ number: Int) {
        switch number {
        case 0...5: events(number % 3 + 1, padding: 40)
        case 6...11: flush()
        case 12: refusedCall()
        case 13: foreground()
        case 14: background()
        case 15: forget()
        case 16: restart()
        case 17: advance(400)
        default: advance(3000)
        }
    }
}

extension SimulatedServer.Reaction {
    /// What a server does on a bad day.
    static func random(_ draws: inout SplitMix) -> SimulatedServer.Reaction {
        switch Int.random(in: 0..<11, using: &draws) {
        case 0: .lose
        case 1: .storeAndLose
        case 2, 3: .refuse(413, "too-many-events")
        case 4: .refuse(422, "invalid-batch")
        case 5: .refuse(408, "request-timeout")
        case 6: .refuse(503, "overloaded")
        case 7: .tooLarge
        default: .store
        }
    }
}
