/// Something that happens on a device: its user, its system or its network does it.
enum Action {
    /// The app comes to the foreground, perhaps in a new process.
    case open(isLaunch: Bool)
    case say(Said)
    /// The app goes to the background.
    case close
    /// The process ends without a word.
    case kill
    /// What the network is like from now on.
    case network(Weather.Sky)
    /// Somebody sets the clock: it is so much ahead from now on, ms.
    case setClock(error: Int64)
    /// A copy of the device's files is made.
    case backUp
    /// The device is replaced by another that has the copy's files.
    case restore
}

/// An action and its moment, ms.
struct TimedAction {
    let time: Int64
    let action: Action
}
