import Database
import Dispatch
import Glibc
import HTTP1
import Logging
import Query
import Reports
import Sockets
import Storage
import Synchronization

/// The life of `sojourn serve` (docs/operation.md, Life of the process): opens the store, listens, and
/// on SIGTERM or SIGINT finishes what was accepted.
package enum ServerProcess {
    /// Returns when the server has ended in order.
    /// - Parameter reload: finds the settings again on SIGHUP, for the log level and nothing else
    /// - Throws: `AdminFailure` where it cannot start, or could not end in order
    package static func run(
        _ settings: Settings, reload: @escaping @Sendable () throws -> Settings
    ) throws(AdminFailure) {
        let systemd = try SystemdEnvironment.take()
        TemporaryFiles.keep(in: settings.data)
        let threshold = LogThreshold(Logging.Logger.Level(rawValue: settings.logLevel) ?? .info)
        let form = LogLineForm(
            LineLogHandler.Format(rawValue: settings.logFormat) ?? .text,
            isForJournal: JournalStream.isStandardError)
        let output = LogOutput.standardError
        output.describeDropped(form.line(ofDropped:))
        let logger = Logging.Logger(label: "sojourn") { _ in
            LineLogHandler(form, level: threshold, to: output)
        }
        let warnings = try PermissionCheck.warnings(settings)
        let socket = NotifySocket(systemd.notifySocket, logger)
        let notices = ServiceNotices(socket)
        // From here on no signal ends the process by itself: what has begun is undone in order.
        let signals = StopSignals()
        let reloads = ReloadSignal {
            notices.reloading {
                do {
                    let level = try reload().logLevel
                    threshold.value = Logging.Logger.Level(rawValue: level) ?? threshold.value
                    logger.notice("log level is now \(level)")
                } catch {
                    logger.error("cannot reload the log level: \(error)")
                }
            }
        }
        defer { withExtendedLifetime(reloads) {} }
        let sockets = try ActivatedListeners.sockets(of: systemd)
        AllocatorLimit.keepFreed()
        let core = try core(settings, notices, signals, logger)
        let groups = try groups(of: core, sockets)
        DescriptorLimit.raise(for: groups.reduce(0) { $0 + $1.maxConnections }, logger)
        let zones = core.store.registry.snapshot.apps.compactMap { QueryApp($0).timeZoneFault }
        let server = try listen(core, groups) {
            for warning in warnings + zones { logger.warning("\(warning)") }
            output.finish()
        }
        core.server = server
        core.store.writer.reply(within: { [weak server] replies in
            guard let server else { return replies() }
            server.answeringTogether(replies)
        })
        let traffic = TrafficLog(core.meters, logger) { [metrics = core.metrics] in
            metrics.server?.receivedBytes ?? 0
        }
        let addresses = Array(server.addresses.dropFirst(core.hiddenGroups).joined())
        for address in addresses { logger.info("listening on \(address)") }
        notices.serving(at: addresses)
        let watchdog = systemd.watchdogPeriod.map {
            Watchdog(period: $0, server: server, writer: core.store.writer, notify: socket)
        }
        let watch = ClockWatch(
            core.clock, core.store, waiting: settings.waitingForClock, logger)
        let retention = settings.retention.map { Retention($0, of: core) }
        // Where reports are asked of an engine there are no segments.
        let segments =
            settings.forward?.spoolRetention == nil
            ? SegmentUpkeep(of: core.store, logger) : nil
        core.cluster?.forwarder?.start()
        let spool = core.cluster?.settings.spoolRetention.map {
            SpoolUpkeep($0, of: core.store, core.clock, logger)
        }
        let reason = signals.wait()
        logger.info("stopping: \(reason)")
        watchdog?.stop()
        notices.stopping(reason)
        core.stop.raise()
        server.stopAccepting()
        server.drain(settings.shutdownTimeout * 1_000_000)
        segments?.close()
        watch.close()
        retention?.close()
        spool?.close()
        core.backups.close()
        core.reports.close()
        core.reportEnvironment.readers?.close()
        core.refusals.close()
        core.cluster?.forwarder?.close()
        traffic.end()
        do throws(StorageError) {
            try core.store.close()
        } catch {
            throw AdminFailure(error)
        }
        if let failure = signals.failure { throw failure }
        logger.info("stopped")
    }

    private static func core(
        _ settings: Settings, _ notices: ServiceNotices, _ signals: StopSignals,
        _ logger: Logging.Logger
    ) throws(AdminFailure) -> ServiceCore {
        let meters = Meters(loops: ProcessorCount.usable)
        var options = settings.storage
        options.limits.pendingBatches = settings.maxPendingBatches
        options.limits.maxNames = settings.maxNames
        options.limits.notesChanges = settings.forward != nil
        // With `spool-retention off` it is to become a single node again.
        options.limits.makesSegments = settings.forward?.spoolRetention == nil
        options.observer = WriterObserver(
            committed: {
                meters.commitSeconds.observe(Int(clamping: $0.nanoseconds))
                meters.commitBatches.observe($0.batches)
            },
            failed: {
                logger.error("cannot store: \($0)")
                notices.failing("\($0)")
            },
            recovered: {
                logger.notice("storing again")
                notices.recovered()
            })
        options.migrating = { from, to in
            logger.notice("bringing the schema from \(from) to \(to)")
            notices.starting("bringing the schema from \(from) to \(to)")
        }
        let store: Store
        do throws(StorageError) { store = try Store.open(options) } catch {
            throw AdminFailure(error)
        }
        if store.migrated > 0 { logger.info("schema brought up to date") }
        let cluster = try Cluster.serving(settings, store, signals, meters, logger)
        do throws(StorageError) {
            return try ServiceCore(
                settings: settings, store: store, logger: logger, cluster: cluster, meters: meters)
        } catch {
            throw AdminFailure(error)
        }
    }

    private static func groups(
        of core: ServiceCore, _ sockets: [ActivatedListeners.Socket]
    ) throws(AdminFailure) -> [Server.Configuration.Group] {
        do throws(AdminFailure) {
            return try core.listenerGroups(sockets)
        } catch {
            try? core.store.close()
            throw error
        }
    }

    /// - Parameter warn: called before anybody is let in, so that who finds the server there finds the lines too
    private static func listen(
        _ core: ServiceCore, _ groups: [Server.Configuration.Group],
        warn: @escaping @Sendable () -> Void
    ) throws(AdminFailure) -> Server {
        var configuration = Server.Configuration(groups: groups)
        configuration.limits = core.settings.httpLimits
        configuration.timeouts = core.settings.httpTimeouts
        configuration.loops = ProcessorCount.usable
        configuration.budget = core.budget
        let logger = core.logger
        configuration.onOpen = warn
        configuration.onAcceptError = { logger.warning("cannot accept connections: \($0)") }
        do throws(SocketError) {
            return try Server(starting: configuration)
        } catch {
            try? core.store.close()
            throw AdminFailure(.unavailable, "\(error); \(advice(error.number))")
        }
    }

    private static func advice(_ errno: Int32) -> String {
        switch errno {
        case EADDRINUSE: "choose another address or end what uses it"
        case EEXIST: "what lies there is no socket: remove it, or choose another path"
        case EADDRNOTAVAIL: "choose an address that this machine has"
        case EACCES: "choose a port from 1024 on, or a folder that may be written"
        case ENOENT, ENOTDIR: "make the folder of the socket"
        case EMFILE, ENFILE: "raise the limit of descriptors"
        default: "choose another address"
        }
    }
}

/// Who besides the server's user may use what it keeps, looked at before any of it is read or made
/// (docs/operation.md, The data directory).
private enum PermissionCheck {
    /// - Returns: a line for each path that more than its owner may use: warnings, for when nothing else keeps
    ///   the server from starting, since an error is one line
    /// - Throws: `AdminFailure` where any user of the machine may write the directory or the key
    static func warnings(_ settings: Settings) throws(AdminFailure) -> [String] {
        let guarded = DataDirectory(settings.data).guarded(
            masterKey: settings.guardedKey, password: settings.guardedPassword)
        if let refused = guarded.first(where: \.isRefused) {
            throw AdminFailure(.configuration, refused.description)
        }
        return guarded.filter(\.isWarned).map(\.description)
    }
}

/// Waits for SIGTERM or SIGINT. While it lives neither ends the process by itself, so that a stop that
/// comes during the start is not lost.
final class StopSignals: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    /// Set once.
    private nonisolated(unsafe) var sources: [any DispatchSourceSignal] = []
    private let name = Mutex("")
    private let failed = Mutex<AdminFailure?>(nil)

    /// On the thread that started the process: threads that begin later inherit what it blocks.
    init() {
        signal(SIGPIPE, SIG_IGN)
        // A source is at work some time after it was activated. A signal that is ignored is dropped
        // meanwhile, one that is blocked as well waits for it (signal(7)).
        var stops = sigset_t()
        sigemptyset(&stops)
        sigaddset(&stops, SIGTERM)
        sigaddset(&stops, SIGINT)
        pthread_sigmask(SIG_BLOCK, &stops, nil)
        for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                self.name.withLock { $0 = name }
                arrived.signal()
            }
            source.activate()
            sources.append(source)
        }
    }

    /// The name of the one that came, or why the process cannot go on.
    func wait() -> String {
        arrived.wait()
        return name.withLock { $0 }
    }

    /// Ends the process in order, as a signal does, and then with a failure.
    func stop(_ failure: AdminFailure) {
        failed.withLock { $0 = $0 ?? failure }
        name.withLock { $0 = "it cannot go on" }
        arrived.signal()
    }

    /// Why the process could not go on; nil where a signal came.
    var failure: AdminFailure? { failed.withLock { $0 } }
}

/// Calls something on each SIGHUP, which ends the process no longer.
final class ReloadSignal {
    private let source: any DispatchSourceSignal

    init(_ action: @escaping @Sendable () -> Void) {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "sojourn.reload"))
        source.setEventHandler(handler: action)
        source.activate()
    }

    deinit { source.cancel() }
}
