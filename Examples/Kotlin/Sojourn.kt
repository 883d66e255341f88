import java.io.BufferedInputStream
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.IOException
import java.io.InputStream
import java.math.BigInteger
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.Socket
import java.net.URI
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.channels.OverlappingFileLockException
import java.nio.charset.CharacterCodingException
import java.nio.file.DirectoryIteratorException
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.OpenOption
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.nio.file.StandardOpenOption
import java.nio.file.attribute.PosixFilePermissions
import java.security.AlgorithmParameters
import java.security.GeneralSecurityException
import java.security.KeyFactory
import java.security.KeyPairGenerator
import java.security.MessageDigest
import java.security.SecureRandom
import java.security.interfaces.ECPublicKey
import java.security.spec.ECGenParameterSpec
import java.security.spec.ECParameterSpec
import java.security.spec.ECPoint
import java.security.spec.ECPublicKeySpec
import java.time.DateTimeException
import java.time.LocalDateTime
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.ArrayDeque
import java.util.Base64
import java.util.Locale
import java.util.TreeMap
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.LockSupport
import java.util.concurrent.locks.ReentrantLock
import java.util.zip.CRC32
import java.util.zip.Deflater
import java.util.zip.DeflaterOutputStream
import java.util.zip.GZIPOutputStream
import javax.crypto.Cipher
import javax.crypto.KeyAgreement
import javax.crypto.Mac
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec
import javax.net.ssl.SSLSocket
import javax.net.ssl.SSLSocketFactory
import kotlin.concurrent.thread
import kotlin.concurrent.withLock

private const val VERSION = "0.1.0"
private const val SESSION = "session.id"
/** Nanoseconds. */
private const val MILLISECOND = 1_000_000L
private const val NEVER = Long.MAX_VALUE
/** Bytes of a URL or a message of a page. */
private const val MAX_PAGE_TEXT = 8192
private const val NEWLINE: Byte = 0x0a
private const val PERCENT: Byte = 0x25

/**
 * Counts how an app is used. Copy this file into the app's package, and begin:
 *
 *     val sojourn = Sojourn(folder)
 *     sojourn.start("shop", Key.aes128gcm("k1", "SECRET"), "https://stats.example.org")
 *     sojourn.screen("menu")
 *
 * No call throws or waits for a file or the network, and all may be called from any thread: a call
 * puts a value into memory, and the client's one thread does the rest. Each event reaches the
 * server once, or is counted in the `dropped_events` of a later batch (docs/client.md).
 *
 * The file in the order in which an event goes through it: the calls and what they take; the
 * [Inbox] that holds them; [EventRule] and [Sessions]; the [Journal] with its files; the [Sealer]
 * and the [Poster]; what an [Answer] means; the [Machine] that puts all this together. [Adapter],
 * for tests alone, is the end.
 *
 * @param folder where the journal lies: the client's own, and in no backup
 * @param clock nanoseconds that nobody sets; on Android they should count sleep, too
 */
class Sojourn(private val folder: File?, private val clock: () -> Long = { System.nanoTime() }) {
    private val inbox = Inbox(clock)
    private val isStarted = AtomicBoolean()
    @Volatile private var isOn = true
    @Volatile private var options = Options()
    /** Touched by the client's thread alone; null until the client has started. */
    private var machine: Machine? = null

    // ---- Calls

    /** Starts. Calls before it are held, the newest 1,000. A second start is ignored. */
    fun start(app: String, key: Key, server: String, options: Options = Options()) =
        start(app, key, server, options, folder) {}

    internal fun start(
        app: String, key: Key, server: String, options: Options, folder: File?,
        then: (Boolean) -> Unit
    ) {
        if (!isStarted.compareAndSet(false, true)) {
            log("a second start is ignored")
            return then(true)
        }
        this.options = options
        val origin = Clock(System.currentTimeMillis(), clock())
        thread(name = "sojourn", isDaemon = true) {
            work({ open(app, key, server, folder, origin) }, then)
        }
    }

    /** An important page was seen. Makes `screen.view`. */
    fun screen(name: String?) = record("screen.view", mapOf("app.screen.name" to name))

    /** A counter went up, by 1 to 10^9. Makes one `usage.counter`. */
    fun count(name: String?, by: Long = 1) =
        record("usage.counter", mapOf("counter.name" to name, "counter.value" to by))

    /**
     * The app's own event. Values are strings, integers, doubles and booleans; at most 31. A name
     * that has a call of its own, as `screen.view`, is refused.
     */
    fun event(name: String?, attributes: Map<String, Any?>? = null) =
        inbox.put(Call(Kind.OWN, clock(), name, copied(attributes)))

    fun content(id: String?) = Content(id)

    fun video(id: String?) = Video(id)

    /** Lets a web view's page speak to the app; `contentID`: what it shows, or null. */
    fun bridge(contentID: String?) = Bridge(contentID)

    /** Tries to upload now; waits after failures hold. `then`: whether nothing waits. */
    fun flush(milliseconds: Long = 5000, then: (Boolean) -> Unit = {}) {
        val end = clock() + milliseconds.coerceIn(0, 86_400_000) * MILLISECOND
        inbox.put(Call(Kind.FLUSH, end, then = then))
    }

    /** False deletes what waits; nothing is recorded from then on, also after a restart. */
    var isEnabled: Boolean
        get() = isOn
        set(value) = enable(value) {}

    internal fun enable(isOn: Boolean, then: (Boolean) -> Unit) {
        this.isOn = isOn
        command(if (isOn) Kind.ENABLE else Kind.DISABLE, then)
    }

    /** Deletes what waits; from now on this is another device, with a new random id. */
    fun forget() = forget {}

    internal fun forget(then: (Boolean) -> Unit) = command(Kind.FORGET, then)

    /** The app came to the foreground. */
    fun foreground() = command(Kind.FOREGROUND) {}

    /** The app went to the background; `then` when the upload is over, after 5 s at most. */
    fun background(then: () -> Unit = {}) = command(Kind.BACKGROUND) { then() }

    /** The process ends; `then` when all that was recorded is on the disk. */
    fun terminate(then: () -> Unit = {}) = command(Kind.TERMINATE) { then() }

    /**
     * The account of this installation, when all calls before it are in the journal; an empty one
     * after a start that failed.
     */
    fun status(then: (Status) -> Unit) =
        command(Kind.SYNC) { then(machine?.status() ?: Status(0, 0, 0, 0, 0, 0, 0)) }

    private fun command(kind: Kind, then: (Boolean) -> Unit) =
        inbox.put(Call(kind, clock(), then = then))

    private fun record(name: String, attributes: Map<*, *>, then: ((Boolean) -> Unit)? = null) =
        inbox.put(Call(Kind.EVENT, clock(), name, attributes, then))

    /** A copy, since the caller's map may change. What cannot be copied breaks a rule later. */
    private fun copied(attributes: Map<String, Any?>?): Map<*, *> = try {
        val isHuge = attributes != null && attributes.size > 2 * EventRule.MAX_ATTRIBUTES
        if (isHuge) mapOf("" to "") else LinkedHashMap<Any?, Any?>(attributes ?: emptyMap())
    } catch (changedMeanwhile: RuntimeException) {
        mapOf("" to "")
    }

    // ---- The client's thread

    /** Takes what is called, and does what is due. Nothing that goes wrong in it may end it. */
    private fun work(opening: () -> Boolean, then: (Boolean) -> Unit) {
        then(opening())
        inbox.start()
        while (true) {
            try {
                val machine = machine
                if (machine == null) {
                    // The start failed: nothing is recorded, and nobody waits for anything.
                    for (call in inbox.take(NEVER, true).calls) call.finish(false)
                    continue
                }
                machine.tick()
                val isOpen = machine.isOpen
                val batch = inbox.take(machine.alarm(), isOpen)
                if (isOpen) machine.take(batch)
            } catch (failure: Throwable) {
                log("a task failed: ${failure.javaClass.name}")
                // What fails at once again must not take a core.
                LockSupport.parkNanos(1000 * MILLISECOND)
            }
        }
    }

    /** False where the folder is another process's. */
    private fun open(
        app: String, key: Key, server: String, folder: File?, origin: Clock
    ): Boolean {
        try {
            val disk = Disk((if (options.debug) File(folder, "debug") else folder!!).toPath())
            val sealer = Sealer(key)
            val poster = Poster(server, app, sealer.fields, options)
            if (!disk.claim()) {
                log("cannot start: another process has the folder")
                return false
            }
            val fingerprint = fingerprint(server, app, key.text)
            machine = Machine(options, disk, sealer, poster, origin, fingerprint)
        } catch (failure: Exception) {
            log("cannot start: the key is not 43 characters of base64url, or a JWK of P-256; or "
                + "the server is not http:// or https:// with a host")
        }
        return true
    }

    /** One line for a developer: what a server or an app says begins none of its own. */
    private fun log(line: String) = quiet {
        options.log(line.take(1000).replace(Regex("[\\p{Cntrl}\\p{Cf}\u2028\u2029]"), "?"))
    }

    // ---- What an app gives and gets

    /** What a batch is sealed with; `sojourn key add --for kotlin` prints it. */
    class Key private constructor(
        internal val id: String, internal val secret: ByteArray?, internal val jwk: String,
        internal val token: String
    ) {
        /** For the fingerprint alone: it is shown nowhere. */
        internal val text: String
            get() = listOf(id, secret?.joinToString() ?: jwk, token).joinToString("\n")

        companion object {
            /** @param secret 32 bytes in base64url; another one is logged at the start */
            fun aes128gcm(id: String, secret: String) = try {
                Key(id, Base64.getUrlDecoder().decode(secret), "", "")
            } catch (noBase64: IllegalArgumentException) {
                Key(id, ByteArray(0), "", "")
            }

            /** ECDH-ES and A128GCM. `jwk`: the public key; `token`: of scope ingest. */
            fun jwe(id: String, jwk: String, token: String) = Key(id, null, jwk, token)
        }
    }

    /**
     * What a client may be started with. Times are milliseconds.
     *
     * @param sessionTimeout time in the background after which another session begins
     * @param journalLimit bytes of waiting events at most; beyond them the oldest are dropped
     * @param debug whether events are judged, with a verdict each in the log, and not stored
     * @param log each line for a developer; never an id, a secret, a token or a body
     * @param callbacks where `completed` calls back; on Android the main thread
     * @param osName what a batch says of the device and the app, as the following; "" for nothing
     */
    class Options(
        val sessionTimeout: Long = 1_800_000,
        val journalLimit: Int = 5 shl 20,
        val debug: Boolean = false,
        val log: (String) -> Unit = {},
        val callbacks: (() -> Unit) -> Unit = { it() },
        val osName: String = "Linux",
        val osVersion: String = leadingNumbers(System.getProperty("os.version") ?: ""),
        val model: String = System.getProperty("os.arch") ?: "",
        val manufacturer: String = "",
        val appVersion: String = "0",
        val appBuild: String = ""
    ) {
        // What tests change, and no app.
        internal var backoff = 1000L
        internal var backoffCap = 300_000L
        internal var hold = 3_600_000L
        internal var budget = 5000L
        internal var attempt = 30_000L
        internal var interval = 300_000L

        /** The members of `resource` but for the installation's id. */
        internal val resource: Map<String, String>
            get() = mapOf(
                "os.name" to osName, "os.version" to osVersion, "device.model.identifier" to model,
                "device.manufacturer" to manufacturer, "service.version" to appVersion,
                "app.build_id" to appBuild, "telemetry.sdk.name" to "sojourn-kotlin",
                "telemetry.sdk.version" to VERSION
            ).filterValues { it != "" }
                .mapValues { (_, text) -> if (EventRule.isText(text, 1, 128)) text else "?" }
    }

    /** What became of events over the installation's life; `next` is in milliseconds. */
    class Status(
        val accepted: Long, val rejected: Long, val dropped: Long, val deleted: Long,
        val waiting: Long, val failures: Long, val next: Long
    ) {
        val appended get() = accepted + rejected + dropped + deleted + waiting
    }

    /** Something that is read or watched to its end. */
    inner class Content internal constructor(private val id: String?) {
        /** It was shown. Makes `content.view`. */
        fun viewed() = record("content.view", mapOf("content.id" to id))

        /**
         * It was read to its end. Makes `content.complete`. `then`, on [Options.callbacks]:
         * whether it is the first time, by the last 1,000 contents.
         */
        fun completed(then: (Boolean) -> Unit = {}) =
            record("content.complete", mapOf("content.id" to id)) { isFirst ->
                options.callbacks { quiet { then(isFirst) } }
            }
    }

    /** A video, while it fills the screen. */
    inner class Video internal constructor(private val id: String?) {
        fun enter() = record("video.enter_fullscreen", mapOf("video.id" to id))

        fun exit() = record("video.exit_fullscreen", mapOf("video.id" to id))
    }

    /** What one page may say (docs/web.md): by URLs that are never loaded, or by messages. */
    inner class Bridge internal constructor(private val contentID: String?) {
        /** Schemes of the URLs that are the bridge's; they compare without case. */
        var schemes = listOf("mobile-event", "rb")
        private val events = Allowance()
        /** Lines of the log: a page can make no more of them than events. */
        private val lines = Allowance()

        /**
         * Whether a URL is the bridge's: then it must not be loaded, whatever it says. URLs count
         * from any frame, since an iframe is how pages signal.
         */
        @Suppress("UNUSED_PARAMETER")
        fun decide(url: String?, isMainFrame: Boolean): Boolean {
            val text = url ?: return false
            val colon = text.indexOf(':')
            val scheme = text.take(maxOf(colon, 0))
            if (colon < 0 || schemes.none { it.equals(scheme, ignoreCase = true) }) return false
            val isShort = EventRule.isText(text, 1, MAX_PAGE_TEXT)
            take(if (isShort) BridgeCall.ofURL(text.substring(colon + 1)) else null)
            return true
        }

        /** A message: JSON, `{"name": "…", "attributes": {…}}`; from the main frame alone. */
        fun message(text: String?, isMainFrame: Boolean) {
            val isRight = isMainFrame && EventRule.isText(text, 1, MAX_PAGE_TEXT)
            take(if (isRight) text?.let { BridgeCall.ofMessage(it) } else null)
        }

        private fun take(call: BridgeCall?) {
            val event = call?.event(contentID)
            if (event == null) {
                note("what a page says breaks a rule, and is ignored")
            } else if (events.admits(clock())) {
                record(event.name, event.attributes)
            } else {
                note("a page says too much, and is ignored")
            }
        }

        private fun note(line: String) {
            if (lines.admits(clock())) log(line)
        }
    }

    /** 50 at once, and then one a second. */
    private class Allowance {
        private var left = BURST
        private var last: Long? = null

        @Synchronized fun admits(now: Long): Boolean {
            left = minOf(BURST, left + now - (last ?: now))
            last = now
            if (left < SECOND) return false
            left -= SECOND
            return true
        }

        private companion object {
            const val SECOND = 1000 * MILLISECOND
            const val BURST = 50 * SECOND
        }
    }

    /** What a page says. A page is not trusted: what breaks a rule is null. */
    private class BridgeCall(val name: String, val attributes: Map<*, *>) {
        /** The event that becomes of it: one of the contract's, or `webview.event`. */
        fun event(contentID: String?): BridgeCall? {
            val more = LinkedHashMap<Any?, Any?>(attributes)
            more.remove(SESSION)
            val isContent = name in listOf("content.view", "content.complete", "scrolled.bottom")
            if (isContent && contentID != null) more.putIfAbsent("content.id", contentID)
            val isOurs = (name.startsWith("content.") || name.startsWith("video."))
                && EventRule.REQUIRED.containsKey(name)
            val event = when {
                name == "scrolled.bottom" && "content.id" in more -> "content.complete"
                isOurs -> name
                else -> "webview.event"
            }
            if (event == "webview.event") more["webview.event.name"] = name
            val isRight = EventRule.broken(event, more, false) == null
            return if (isRight) BridgeCall(event, more) else null
        }

        companion object {
            private val NAME = Regex("[A-Za-z0-9._-]{1,128}")

            /** Reads what follows a URL's colon: `NAME?k=v&…`, with or without slashes. */
            fun ofURL(rest: String): BridgeCall? {
                val text = rest.substringBefore('#').removePrefix("//")
                val attributes = LinkedHashMap<String, String>()
                for (pair in text.substringAfter('?', "").split('&')) {
                    if (pair == "") continue
                    val key = decoded(pair.substringBefore('=')) ?: return null
                    val value = decoded(pair.substringAfter('=', "")) ?: return null
                    attributes.putIfAbsent(key, value)
                }
                val name = text.substringBefore('?').removeSuffix("/")
                return if (name.matches(NAME)) BridgeCall(name, attributes) else null
            }

            /** Percent-decoded UTF-8, where a plus is a plus; null where it is not that. */
            private fun decoded(text: String): String? {
                val out = ByteArrayOutputStream()
                val bytes = text.toByteArray()
                var at = 0
                while (at < bytes.size) {
                    var byte = bytes[at].toInt()
                    if (bytes[at] == PERCENT) {
                        if (at + 2 >= bytes.size) return null
                        val high = Character.digit(bytes[at + 1].toInt(), 16)
                        val low = Character.digit(bytes[at + 2].toInt(), 16)
                        if (high < 0 || low < 0) return null
                        byte = (high shl 4) or low
                        at += 2
                    }
                    out.write(byte)
                    at++
                }
                return Json.decoded(out.toByteArray())
            }

            fun ofMessage(text: String): BridgeCall? {
                val members = Json.members(text.toByteArray())
                val name = members["name"] as? String ?: return null
                val attributes = (members["attributes"] ?: emptyMap<String, Any>()) as? Map<*, *>
                return if (name.matches(NAME)) attributes?.let { BridgeCall(name, it) } else null
            }
        }
    }

    // ---- Calls in memory

    /** OWN is an event under the app's own name, EVENT one of the contract's. */
    private enum class Kind {
        OWN, EVENT, FOREGROUND, BACKGROUND, TERMINATE, SYNC, FLUSH, ENABLE, DISABLE, FORGET, POSTED
    }

    /**
     * A call between the app's thread and the client's.
     *
     * @param moment when it was made; of FLUSH when it ends
     */
    private class Call(
        val kind: Kind, val moment: Long, val name: String? = null,
        val attributes: Map<*, *> = emptyMap<String, Any>(),
        private var then: ((Boolean) -> Unit)? = null
    ) {
        val isRecord get() = kind == Kind.OWN || kind == Kind.EVENT

        /** Whether somebody waits for it who must not wait for long. */
        val isBounded
            get() = kind == Kind.BACKGROUND || kind == Kind.TERMINATE || kind == Kind.FLUSH

        /** What an attempt has posted back. */
        fun run() = then?.invoke(true)

        /** Tells whoever waits, once. */
        fun finish(value: Boolean) {
            val told = then
            then = null
            if (told != null) quiet { told(value) }
        }
    }

    /** What was called since the last time, and how many calls found no room. */
    private class Batch(val calls: ArrayDeque<Call>, val dropped: Long)

    /** Calls between their making and the client's thread: a call costs a lock and an append. */
    private class Inbox(private val clock: () -> Long) {
        private val lock = ReentrantLock()
        private val news = lock.newCondition()
        private var calls = ArrayDeque<Call>()
        /** Those that are being written: they are in memory, too. */
        private var taken = 0
        private var dropped = 0L
        private var isStarted = false
        private var hasNews = false
        private var isUrgent = false

        fun put(call: Call) {
            val refused = lock.withLock { add(call) }
            refused?.finish(false)
        }

        /** Returns the call that finds no room. */
        private fun add(call: Call): Call? {
            val refused = if (call.isRecord) makeRoom(call) else null
            if (refused === call) return refused
            calls.add(call)
            val isNew = !hasNews || !isUrgent && !call.isRecord
            hasNews = true
            isUrgent = isUrgent || !call.isRecord
            if (isNew && isStarted) news.signal()
            return refused
        }

        /** The call that finds no room: before the start the oldest, then the newest; or null. */
        private fun makeRoom(newest: Call): Call? {
            val capacity = if (isStarted) CAPACITY else CAPACITY_BEFORE_START
            if (calls.size + taken < capacity) return null
            dropped++
            val oldest = if (isStarted) null else calls.firstOrNull { it.isRecord }
            if (oldest != null) calls.remove(oldest)
            return oldest ?: newest
        }

        fun start() = lock.withLock { isStarted = true }

        /** The journal has been opened: what waits here can be taken. */
        fun wake() = lock.withLock { hasNews = true }

        /**
         * What was called since, once something was or a moment has come. While the journal is
         * closed all stays here, and those who must not wait for long are told.
         */
        fun take(alarm: Long, isOpen: Boolean): Batch {
            var released = emptyList<Call>()
            val batch = lock.withLock {
                taken = 0
                while (!hasNews && isBefore(alarm)) { }
                hasNews = false
                if (isOpen) {
                    val end = clock() + PAUSE
                    while (!isUrgent && calls.isNotEmpty() && isBefore(end)) { }
                    swapped()
                } else {
                    released = calls.filter { it.isBounded }
                    Batch(ArrayDeque(), 0)
                }
            }
            for (call in released) call.finish(false)
            return batch
        }

        /** Waits for a call until a moment; false where that has come. */
        private fun isBefore(moment: Long): Boolean {
            val rest = if (moment == NEVER) NEVER else moment - clock()
            if (rest > 0) news.awaitNanos(minOf(rest, 3_600_000 * MILLISECOND))
            return rest > 0
        }

        private fun swapped(): Batch {
            val batch = Batch(calls, dropped)
            hasNews = false
            isUrgent = false
            taken = calls.size
            calls = ArrayDeque()
            dropped = 0
            return batch
        }

        private companion object {
            const val CAPACITY_BEFORE_START = 1000
            const val CAPACITY = 10_000
            /** How long events wait, so that many share one write. */
            const val PAUSE = 2 * MILLISECOND
        }
    }

    // ---- Events

    /** The device's clock at the start plus what one has counted since that nobody sets. */
    private class Clock(private val wall: Long, private val monotonic: Long) {
        fun time(moment: Long) = wall + Math.floorDiv(moment - monotonic, MILLISECOND)
    }

    /** What a call may say (docs/protocol.md, Events). Nothing is repaired. */
    private object EventRule {
        const val MAX_ATTRIBUTES = 31
        private const val MAX_INTEGER = (1L shl 53) - 1
        private val NAME = Regex("[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*")

        /** The attribute that an event of the contract must have. */
        val REQUIRED = mapOf(
            "session.start" to SESSION, "session.resume" to SESSION, "session.end" to SESSION,
            "screen.view" to "app.screen.name", "usage.counter" to "counter.name",
            "content.view" to "content.id", "content.complete" to "content.id",
            "video.enter_fullscreen" to "video.id", "video.exit_fullscreen" to "video.id",
            "webview.event" to "webview.event.name"
        )

        /** The rule that is broken; null for none. */
        fun broken(name: String?, attributes: Map<*, *>, isOwn: Boolean): String? {
            if (name == null || name.length > 64 || !name.matches(NAME)) return "invalid-name"
            val required = REQUIRED[name]
            if (isOwn && required != null) return "reserved-name"
            val others = attributes.filterKeys { it != SESSION }
            val isRight = others.size <= MAX_ATTRIBUTES && others.all { (key, value) ->
                isText(key, 1, 64) && isValue(value)
                    && (key != required || isText(value, 1, 128))
                    && (name != "usage.counter" || value !is Long || value in 1..1_000_000_000)
            }
            return when {
                !isRight -> "invalid-attribute"
                required != null && required !in attributes -> "missing-attribute"
                else -> null
            }
        }

        private fun isValue(value: Any?) = when (value) {
            is String -> isText(value, 0, 1024)
            is Double -> value.isFinite()
            is Float -> value.isFinite()
            is Long, is Int, is Short, is Byte ->
                (value as Number).toLong() in -MAX_INTEGER..MAX_INTEGER
            else -> value is Boolean
        }

        /** So many bytes of UTF-8, none of them 0; a lone surrogate has none. */
        fun isText(value: Any?, least: Int, most: Int): Boolean {
            if (value !is String || value.length > most || '\u0000' in value) return false
            val isWhole = Charsets.UTF_8.newEncoder().canEncode(value)
            return isWhole && value.toByteArray().size in least..most
        }
    }

    /** Which event the foreground and the background make, and whose they are. */
    private class Sessions(private val timeout: Long) {
        private var isForeground = false
        private var since = 0L
        /** The latest session, also after its end. */
        var latest: String? = null
            private set

        /** The session of what is recorded now; null in the background. */
        val current get() = if (isForeground) latest else null

        /** The event's name; null where nothing changes. A launch always begins another one. */
        fun foreground(moment: Long): String? {
            if (isForeground) return null
            isForeground = true
            val isSame = latest != null && moment - since < timeout * MILLISECOND
            if (!isSame) latest = newID()
            return if (isSame) "session.resume" else "session.start"
        }

        fun background(moment: Long): String? {
            if (!isForeground) return null
            isForeground = false
            since = moment
            return "session.end"
        }

        /** Another device: nothing goes on. */
        fun forget() {
            latest = if (isForeground) newID() else null
        }
    }

    // ---- The journal: files of events, and the ledger that accounts for them

    /** A line of a file, by where it lies: a checksum, a letter, a text. */
    private class Line(val kind: Char, val drops: Long, val start: Int, val end: Int) {
        val size get() = end - start

        fun text(bytes: ByteArray) = String(bytes, start + OPENING, size - OPENING - 1)

        companion object {
            const val RESOURCE = 'H'
            const val EVENT = 'E'
            const val DROPS = 'D'
            const val LEDGER = 'L'
            const val DAMAGED = '?'
            /** Eight digits, a blank, the letter, a blank. */
            private const val OPENING = 11

            fun of(kind: Char, text: String): ByteArray {
                val content = "$kind $text".toByteArray()
                return "${checksum(content, 0, content.size)} ".toByteArray() + content + NEWLINE
            }

            /** The whole lines between two offsets; what has no end was never appended. */
            fun read(bytes: ByteArray, from: Int = 0, to: Int = bytes.size): List<Line> {
                val lines = ArrayList<Line>()
                var start = from
                for (at in from until minOf(to, bytes.size)) {
                    if (bytes[at] != NEWLINE) continue
                    lines.add(one(bytes, start, at))
                    start = at + 1
                }
                return lines
            }

            private fun one(bytes: ByteArray, start: Int, stop: Int): Line {
                val isWhole = stop - start >= OPENING &&
                    String(bytes, start, 8, Charsets.ISO_8859_1) == checksum(bytes, start + 9, stop)
                if (!isWhole) return Line(DAMAGED, 1, start, stop + 1)
                val line = Line(bytes[start + 9].toInt().toChar(), 0, start, stop + 1)
                if (line.kind != DROPS) return line
                return Line(DROPS, decimal(line.text(bytes)), start, stop + 1)
            }

            private fun checksum(bytes: ByteArray, start: Int, end: Int): String {
                val crc = CRC32()
                crc.update(bytes, start, end - start)
                return java.lang.Long.toHexString(crc.value).padStart(8, '0')
            }

            /** The first line of a segment, which says of which device and app it is. */
            fun first(bytes: ByteArray): Line {
                val end = bytes.indexOf(NEWLINE)
                return if (end < 0) Line(DAMAGED, 1, 0, 0) else one(bytes, 0, end)
            }

            fun events(bytes: ByteArray, start: Int, end: Int) =
                read(bytes, start, end).filter { it.kind == EVENT }
        }
    }

    /** Lines that are to be appended together, with what they account for. */
    private class Lines {
        private val out = ByteArrayOutputStream()
        var events = 0L
            private set
        var drops = 0L
            private set
        val size get() = out.size()
        val bytes: ByteArray get() = out.toByteArray()

        fun add(json: String) {
            out.write(Line.of(Line.EVENT, json))
            events++
        }

        fun drop(count: Long) {
            out.write(Line.of(Line.DROPS, count.toString()))
            drops += count
        }

        fun clear() {
            out.reset()
            events = 0
            drops = 0
        }
    }

    /** A file of lines, which one process appends to; and what of it waits. A batch is one. */
    private class Segment(val number: Long) {
        var size = 0
        var events = 0L
        var drops = 0L
        /** Bytes of the lines that wait. */
        var bytes = 0
        val name get() = number.toString().padStart(16, '0') + ".events"

        fun add(lines: Lines) {
            size += lines.size
            bytes += lines.size
            events += lines.events
            drops += lines.drops
        }

        /** Counts what is in it: all lines but the first. */
        fun count(content: ByteArray) {
            val lines = Line.read(content)
            val waiting = lines.drop(1)
            size = lines.lastOrNull()?.end ?: 0
            bytes = waiting.fold(0) { sum, line -> sum + line.size }
            events = waiting.count { it.kind == Line.EVENT }.toLong()
            drops = waiting.fold(0L) { sum, line -> sum + line.drops }
        }

        /** Counts anew before it is sent: lines that are not there any more are dropped. */
        fun recount(content: ByteArray) {
            val known = events + drops
            count(content)
            drops += maxOf(0, known - events - drops)
        }

        /** Nothing of it waits any more. */
        fun clear() {
            events = 0
            drops = 0
            bytes = 0
        }

        companion object {
            /** Bytes after which another is begun: one that is sealed whole fits into a body. */
            const val MAX_SIZE = 56_000
            private val NAME = Regex("([0-9]{16})\\.events")

            /** The number of a file's name; null for one that is no segment's. */
            fun number(name: String) = NAME.matchEntire(name)?.groupValues?.get(1)?.toLong()
        }
    }

    /**
     * The batch on its way, as a part of a segment's bytes. What it says never changes.
     *
     * @param tooLarge answers in a row, up to now, that are a proxy's 413
     */
    private data class Frozen(
        val segment: Long, val start: Int, val end: Int, val events: Long, val sequence: Long,
        val dropped: Long, val batchID: String, val tooLarge: Long
    )

    /** What a 413 has undone: it waits in front, and goes in batches of `cap` at most. */
    private data class Undone(
        val segment: Long, val start: Int, val end: Int, val events: Long, val cap: Long
    )

    /**
     * A wait after a failure.
     *
     * @param until the device's clock when something may be posted again
     * @param span how long the wait was when it was set, in milliseconds
     * @param held by which app, key, token and server it was refused; 0 where it was not
     */
    private data class Wait(
        val failures: Long = 0, val until: Long = 0, val span: Long = 0, val held: Long = 0
    ) {
        /** What is left of it. A moment further off than the wait was: the clock was set back. */
        fun remaining(now: Long, fingerprint: Long): Long {
            val rest = until - now
            val isOver = held != 0L && held != fingerprint || rest > span
            return if (isOver) 0 else maxOf(0, rest)
        }
    }

    /**
     * The account: which segments wait, what became of those before, the batch on its way, the
     * wait. It is one small file that is replaced whole, so that each of these methods is one
     * atomic step. What waits is in no count: it is the lines of the segments from the head on.
     *
     * @param unreported dropped events that no batch has told of yet
     * @param head the number of the first segment that waits
     * @param contents fingerprints of the contents that were completed last
     */
    private data class Ledger(
        var installation: String = newID(), var isEnabled: Boolean = true,
        var nextSequence: Long = 1, var accepted: Long = 0, var rejected: Long = 0,
        var dropped: Long = 0, var deleted: Long = 0, var unreported: Long = 0,
        var head: Long = 1, var frozen: Frozen? = null, var undone: Undone? = null,
        var wait: Wait = Wait(), val contents: LinkedHashSet<Long> = LinkedHashSet()
    ) {
        /** Events that are on their way: outside the bound, and never dropped by it. */
        val pinnedEvents get() = (frozen?.events ?: 0) + (undone?.events ?: 0)

        fun copied() = copy(contents = LinkedHashSet(contents))

        fun pins(segment: Long) = frozen?.segment == segment || undone?.segment == segment

        /** Counts events that are gone. */
        fun lose(events: Long) {
            dropped += events
            unreported += events
        }

        /** A whole segment becomes the batch; it may have no events, and only tell of drops. */
        fun freeze(segment: Segment, start: Int) {
            lose(segment.drops)
            head = segment.number + 1
            begin(segment.number, start, segment.size, segment.events)
        }

        private fun begin(segment: Long, start: Int, end: Int, events: Long) {
            frozen = Frozen(segment, start, end, events, nextSequence, unreported, newID(), 0)
            nextSequence++
            unreported = 0
        }

        /** So many first events of what was undone become the batch. */
        fun freezeUndone(rest: Undone, end: Int, events: Long) {
            val isLast = events == rest.events
            begin(rest.segment, rest.start, if (isLast) rest.end else end, events)
            undone = if (isLast) null else rest.copy(start = end, events = rest.events - events)
        }

        fun loseUndone() {
            lose(undone?.events ?: 0)
            undone = null
        }

        /** The server has the batch. */
        fun settle(batch: Frozen, refused: Long) {
            val part = refused.coerceIn(0, batch.events)
            rejected += part
            accepted += batch.events - part
            frozen = null
            wait = Wait()
        }

        /** The batch is refused for good, or cannot be read. Its sequence stays used. */
        fun refuse(batch: Frozen) {
            lose(batch.events)
            unreported += batch.dropped
            frozen = null
            wait = Wait()
        }

        /** The batch is too large: its events wait again, in front. A single one is dropped. */
        fun undo(batch: Frozen) {
            nextSequence = batch.sequence
            if (batch.events <= 1) return refuse(batch)
            unreported += batch.dropped
            val end = undone?.end ?: batch.end
            val events = batch.events + (undone?.events ?: 0)
            undone = Undone(batch.segment, batch.start, end, events, batch.events / 2)
            frozen = null
        }

        /** Deletes what waits, as the user wants it: it is counted, and told to nobody. */
        fun wipe(waiting: Segment, next: Long) {
            deleted += waiting.events + pinnedEvents
            dropped += waiting.drops
            unreported = 0
            frozen = null
            undone = null
            head = next
        }

        fun forget() {
            installation = newID()
            nextSequence = 1
            contents.clear()
        }

        /** Whether a content is completed for the first time; it is remembered. */
        fun complete(content: String): Boolean {
            val isFirst = contents.add(fingerprint(content))
            if (contents.size > MAX_CONTENTS) contents.remove(contents.first())
            return isFirst
        }

        val bytes: ByteArray
            get() = Line.of(Line.LEDGER, Json.text(mapOf(
                "installation" to installation,
                "enabled" to isEnabled,
                "numbers" to listOf(
                    nextSequence, accepted, rejected, dropped, deleted, unreported, head),
                "frozen" to (frozen?.run {
                    listOf(segment, start, end, events, sequence, dropped, tooLarge)
                } ?: emptyList()),
                "batch" to (frozen?.batchID ?: ""),
                "undone" to (undone?.run {
                    listOf(segment, start, end, events, cap)
                } ?: emptyList<Long>()),
                "wait" to wait.run { listOf(failures, until, span, held) },
                "contents" to contents.toList())))

        companion object {
            private const val MAX_CONTENTS = 1000

            /** Null where it is damaged. */
            fun read(bytes: ByteArray): Ledger? = try {
                val line = Line.read(bytes).single()
                require(line.kind == Line.LEDGER)
                of(Json.members(line.text(bytes).toByteArray()))
            } catch (damage: RuntimeException) {
                null
            }

            private fun of(members: Map<String, Any>): Ledger {
                val numbers = numbers(members["numbers"])
                val frozen = numbers(members["frozen"])
                val undone = numbers(members["undone"])
                val wait = numbers(members["wait"])
                val ledger = Ledger(
                    UUID.fromString(members["installation"] as String).toString(),
                    members["enabled"] as Boolean, numbers[0], numbers[1], numbers[2], numbers[3],
                    numbers[4], numbers[5], numbers[6],
                    wait = Wait(wait[0], wait[1], wait[2], wait[3]),
                    contents = LinkedHashSet(numbers(members["contents"])))
                if (frozen.isNotEmpty()) {
                    // The last one came later.
                    ledger.frozen = Frozen(
                        frozen[0], frozen[1].toInt(), frozen[2].toInt(), frozen[3], frozen[4],
                        frozen[5], members["batch"] as String, frozen.getOrElse(6) { 0 })
                }
                if (undone.isNotEmpty()) {
                    ledger.undone = Undone(
                        undone[0], undone[1].toInt(), undone[2].toInt(), undone[3], undone[4])
                }
                return ledger
            }

            private fun numbers(list: Any?) = (list as? List<*>).orEmpty().map { it as Long }
        }
    }

    private class Busy : IOException()

    /** The folder: its files are touched by plain calls of the system, on the client's thread. */
    private class Disk(private val folder: Path) {
        private var lock: FileChannel? = null

        /** Takes the folder for this process, whose end gives it back; false: another has it. */
        fun claim() = try {
            makeFolder()
            true
        } catch (busy: Busy) {
            false
        } catch (notNow: IOException) {
            // The journal is opened again and again, and claims it then.
            true
        }

        /** Makes the folder if it is not there, or was deleted while the client runs. */
        fun makeFolder() {
            if (lock != null && has("lock")) return
            if (Files.notExists(folder)) Files.createDirectories(folder, permissions("rwx------"))
            putAside("lock")
            val file = open("lock", StandardOpenOption.CREATE, StandardOpenOption.WRITE)
            val isOurs = try {
                file.tryLock() != null
            } catch (another: OverlappingFileLockException) {
                // Another client of this process; to close the file would end its lock, too.
                throw Busy()
            }
            if (!isOurs) {
                file.close()
                throw Busy()
            }
            lock?.close()
            lock = file
        }

        /** Whether a file that was there is; what cannot be reached now is not gone. */
        fun has(name: String) = !Files.notExists(folder.resolve(name))

        private fun permissions(text: String) =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))

        private fun open(name: String, vararg options: OpenOption) =
            FileChannel.open(folder.resolve(name), options.toSet(), permissions("rw-------"))

        /** The numbers of all segments, in order; one that was not listed would count as gone. */
        fun numbers(): List<Long> = try {
            Files.newDirectoryStream(folder).use { paths ->
                paths.mapNotNull { Segment.number(it.fileName.toString()) }.sorted()
            }
        } catch (failure: DirectoryIteratorException) {
            throw failure.cause ?: failure
        }

        /** A file's bytes; null where there is none. A read that fails is never an empty file. */
        fun content(name: String): ByteArray? = try {
            val path = folder.resolve(name)
            if (Files.isDirectory(path)) ByteArray(0) else Files.readAllBytes(path)
        } catch (gone: NoSuchFileException) {
            null
        }

        /** A folder that lies where a file of ours is to be is none of ours. */
        private fun putAside(name: String) {
            val path = folder.resolve(name)
            if (Files.isDirectory(path)) Files.move(path, folder.resolve("$name-${newID()}"))
        }

        /** Replaces a file whole: beside it, synced, renamed, and the folder synced. */
        fun replace(name: String, bytes: ByteArray) {
            putAside("$name.new")
            open(
                "$name.new", StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE
            ).use { file ->
                append(bytes, file)
                file.force(true)
            }
            putAside(name)
            Files.move(
                folder.resolve("$name.new"), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE)
            sync("")
        }

        fun remove(name: String) = try {
            putAside(name)
            Files.deleteIfExists(folder.resolve(name))
            true
        } catch (failure: IOException) {
            false
        }

        fun create(name: String): FileChannel =
            open(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND)

        fun append(bytes: ByteArray, file: FileChannel) {
            val buffer = ByteBuffer.wrap(bytes)
            while (buffer.hasRemaining()) {
                if (file.write(buffer) == 0) throw IOException("nothing is written")
            }
        }

        /** Puts a file on the disk, or the folder itself (""). */
        fun sync(name: String) =
            FileChannel.open(folder.resolve(name), StandardOpenOption.READ).use { it.force(true) }
    }

    /**
     * The segments and the ledger of an installation.
     *
     * @param limit bytes of lines that wait and are not on their way
     */
    private class Journal(
        private val disk: Disk, private val limit: Int, private val resource: String
    ) {
        var ledger: Ledger
            private set
        /** All that the folder has, in order. */
        private val segments = ArrayList<Segment>()
        /** The segment that is appended to, and its file; null for none. */
        private var current: Segment? = null
        private var file: FileChannel? = null
        /** Segments from here on are this process's: its own clock has made their times. */
        private val firstOwn: Long
        private var next: Long
        /** Events that could not be written; the next step counts them. */
        var unwritten = 0L
            private set

        init {
            disk.makeFolder()
            val found = disk.content("ledger")?.let { Ledger.read(it) }
            ledger = found ?: Ledger()
            next = ledger.head
            for (number in disk.numbers()) {
                val segment = Segment(number)
                if (number >= ledger.head) segment.count(content(number))
                segments.add(segment)
                next = maxOf(next, number + 1)
            }
            firstOwn = next
            if (found == null) loseAll()
            removeUsed()
        }

        /** Without a record of what was sent, what waits may have been sent: it is dropped. */
        private fun loseAll() {
            val all = waiting
            step {
                it.lose(all.events + all.drops)
                it.head = firstOwn
            }
            for (segment in segments) segment.clear()
        }

        /** A segment's bytes; of one that is gone none. */
        private fun content(number: Long) = disk.content(Segment(number).name) ?: ByteArray(0)

        /** The sum of what waits and is not on its way. */
        val waiting: Segment
            get() = segments.fold(Segment(0)) { sum, segment ->
                sum.events += segment.events
                sum.drops += segment.drops
                sum.bytes += segment.bytes
                sum
            }

        private val oldest get() = segments.firstOrNull { it.bytes > 0 }

        val isPending get() = ledger.frozen != null || ledger.undone != null

        /** Whether there is something to tell the server. */
        val hasSomething
            get() = isPending || ledger.unreported > 0 || unwritten > 0 || oldest != null

        // Steps

        /** One atomic step: what it makes of the ledger is on the disk when this returns. */
        fun step(change: (Ledger) -> Unit = {}) {
            makeUpForDeleted()
            write(change)
            removeUsed()
        }

        private fun write(change: (Ledger) -> Unit) {
            val changed = ledger.copied()
            changed.lose(unwritten)
            change(changed)
            disk.replace("ledger", changed.bytes)
            ledger = changed
            unwritten = 0
        }

        /** Makes the folder again if it was deleted, and counts what was in it. */
        fun makeUpForDeleted() {
            if (disk.has("lock") && current?.let { disk.has(it.name) } != false) return
            disk.makeFolder()
            val present = disk.numbers()
            val missing = segments.filter { it.number !in present }
            write { changed ->
                for (segment in missing) {
                    changed.lose(segment.events + segment.drops)
                    val frozen = changed.frozen
                    if (frozen?.segment == segment.number) changed.refuse(frozen)
                    if (changed.pins(segment.number)) changed.loseUndone()
                }
            }
            segments.removeAll(missing)
            closeCurrent()
        }

        /** Removes segments with nothing left in them; false where one stays for now. */
        private fun removeUsed(): Boolean {
            segments.removeAll { isUsed(it) && disk.remove(it.name) }
            return segments.none { isUsed(it) }
        }

        private fun isUsed(segment: Segment) =
            segment !== current && segment.bytes == 0 && !ledger.pins(segment.number)

        // Appending

        /** Appends lines. What cannot be written at the second try is dropped, and counted. */
        fun append(lines: Lines) {
            try {
                tryAppend(lines)
            } catch (once: IOException) {
                try {
                    tryAppend(lines)
                } catch (twice: IOException) {
                    unwritten += lines.events + lines.drops
                    throw twice
                }
            }
            if (unwritten > 0) step()
        }

        /** Where this throws, `lines` is what of them is not appended. */
        private fun tryAppend(lines: Lines) {
            if (lines.size == 0) return
            makeUpForDeleted()
            while (waiting.bytes + lines.size > limit) lose(oldest ?: break)
            val (segment, file) = opened(lines.size)
            try {
                disk.append(lines.bytes, file)
            } catch (failure: IOException) {
                undoWrite(lines, segment, file)
                throw failure
            }
            segment.add(lines)
        }

        /**
         * After a write that failed nothing of it may stay, least of all a half line. Where it
         * cannot be cut off its whole lines count, and the segment is left alone.
         */
        private fun undoWrite(lines: Lines, segment: Segment, file: FileChannel) {
            try {
                file.truncate(segment.size.toLong())
            } catch (failure: IOException) {
                closeCurrent()
                val before = segment.events + segment.drops
                try {
                    segment.count(content(segment.number))
                } catch (unread: IOException) {
                    // Then all of it counts as dropped, and what is there is sent all the same.
                }
                unwritten += lines.events + lines.drops - (segment.events + segment.drops - before)
                lines.clear()
            }
        }

        private fun opened(count: Int): Pair<Segment, FileChannel> {
            val most = minOf(Segment.MAX_SIZE, limit / 8)
            val (segment, file) = current to file
            val isFull = segment != null && segment.bytes > 0 && segment.size + count > most
            return if (segment == null || file == null || isFull) begun() else segment to file
        }

        private fun begun(): Pair<Segment, FileChannel> {
            sync()
            closeCurrent()
            removeUsed()
            val segment = Segment(next)
            next++
            val created = disk.create(segment.name)
            try {
                val line = Line.of(Line.RESOURCE, resource)
                disk.append(line, created)
                segment.size = line.size
            } catch (failure: IOException) {
                created.close()
                disk.remove(segment.name)
                throw failure
            }
            file = created
            current = segment
            segments.add(segment)
            return segment to created
        }

        private fun closeCurrent() {
            try {
                file?.close()
            } catch (unheard: IOException) {
                // Whoever freezes a batch of it syncs it first.
            }
            file = null
            current = null
        }

        /** Counts what waited in a segment that cannot be kept, or cannot be read. */
        private fun lose(segment: Segment) {
            if (segment === current) closeCurrent()
            step {
                it.lose(segment.events + segment.drops)
                it.head = segment.number + 1
            }
            segment.clear()
            removeUsed()
        }

        /** What was appended is on the disk when this returns. */
        fun sync() {
            val file = file ?: return
            file.force(true)
            disk.sync("")
        }

        // Batches

        /** Makes a batch of the oldest segment that waits: synced, then frozen. */
        fun freeze() {
            if (ledger.undone?.let { freezeUndone(it) } == true) return
            // With no event waiting a count goes alone; it needs a segment for its resource.
            if (oldest == null && ledger.unreported + unwritten == 0L) return
            val segment = oldest ?: begun().first
            if (segment === current) closeCurrent()
            val bytes = content(segment.number)
            val first = Line.first(bytes)
            if (first.kind != Line.RESOURCE) return lose(segment)
            disk.sync(segment.name)
            segment.recount(bytes)
            step { it.freeze(segment, first.end) }
            segment.clear()
        }

        /** What a 413 has undone goes in parts. False where it cannot be read any more. */
        private fun freezeUndone(rest: Undone): Boolean {
            val events = Line.events(content(rest.segment), rest.start, rest.end)
            val isWhole = events.size.toLong() == rest.events
            val count = minOf(rest.cap, rest.events).toInt()
            step {
                if (isWhole) it.freezeUndone(rest, events[count - 1].end, count.toLong())
                else it.loseUndone()
            }
            return isWhole
        }

        /** Whether a batch was recorded by this process. */
        fun isOwn(frozen: Frozen) = frozen.segment >= firstOwn

        /** The events of a batch; null where they cannot be read any more. */
        fun events(frozen: Frozen): List<String>? {
            val bytes = content(frozen.segment)
            val events = Line.events(bytes, frozen.start, frozen.end)
            val isWhole = events.size.toLong() == frozen.events && bytes.size >= frozen.end &&
                Line.first(bytes).kind == Line.RESOURCE
            return if (isWhole) events.map { it.text(bytes) } else null
        }

        /** The text of a batch. */
        fun text(frozen: Frozen, events: List<String>, sentAt: Long): ByteArray {
            val bytes = content(frozen.segment)
            val resource = Line.first(bytes).text(bytes).removePrefix("{")
            return ("""{"schema":1,"batch_id":"${frozen.batchID}","sent_at":$sentAt,""" +
                """"sequence":${frozen.sequence},"dropped_events":${frozen.dropped},""" +
                """"resource":{"app.installation.id":"${ledger.installation}",$resource,""" +
                """"events":[${events.joinToString(",")}]}""").toByteArray()
        }

        /** Deletes what waits, and its files: until they are gone it is not done. */
        fun wipe(more: (Ledger) -> Unit) {
            val waiting = waiting
            step {
                it.wipe(waiting, next)
                more(it)
            }
            for (segment in segments) segment.clear()
            closeCurrent()
            if (!removeUsed()) throw IOException("a file cannot be deleted")
        }
    }

    // ---- Sealing

    /** Compresses and seals batches as their profile wants it, anew at each attempt. */
    private class Sealer(private val key: Key) {
        /** The server's, of jwe; null for aes128gcm. */
        private val serverKey = if (key.secret == null) publicKey(key.jwk) else null
        /** Header fields of a request. */
        val fields =
            if (key.secret != null) listOf(
                "Content-Type: application/json", "Content-Encoding: gzip, aes128gcm")
            else listOf("Content-Type: application/jose", "Authorization: Bearer ${key.token}")

        init {
            require(key.id.matches(Regex("[A-Za-z0-9_-]{1,32}")))
            require(key.secret == null || key.secret.size == 32)
            require(key.secret != null || key.token.matches(Regex("[!-~]+")))
            // A key that cannot seal is known at the start, and the ciphers are loaded by then.
            seal(ByteArray(0))
        }

        fun seal(text: ByteArray): ByteArray =
            if (key.secret != null) contentCoding(text, key.secret) else compact(text)

        /** RFC 8188 in one record, over gzip. */
        private fun contentCoding(text: ByteArray, secret: ByteArray): ByteArray {
            val salt = random(16)
            val prk = hmac(salt, secret)
            val record = compressed(text, isGzip = true) + 2
            val sealed = gcm(
                expanded(prk, "aes128gcm", 16), expanded(prk, "nonce", 12), ByteArray(0), record)
            val id = key.id.toByteArray()
            val out = ByteBuffer.allocate(21 + id.size + sealed.size)
            out.put(salt).putInt(maxOf(18, sealed.size)).put(id.size.toByte()).put(id)
            return out.put(sealed).array()
        }

        /** One block of HKDF (RFC 5869). */
        private fun expanded(prk: ByteArray, what: String, count: Int) =
            hmac(prk, "Content-Encoding: $what\u0000\u0001".toByteArray()).copyOf(count)

        private fun hmac(key: ByteArray, text: ByteArray): ByteArray {
            val mac = Mac.getInstance("HmacSHA256")
            mac.init(SecretKeySpec(key, "HmacSHA256"))
            return mac.doFinal(text)
        }

        private fun gcm(
            key: ByteArray, nonce: ByteArray, associated: ByteArray, plain: ByteArray
        ): ByteArray {
            val cipher = Cipher.getInstance("AES/GCM/NoPadding")
            cipher.init(
                Cipher.ENCRYPT_MODE, SecretKeySpec(key, "AES"), GCMParameterSpec(128, nonce))
            cipher.updateAAD(associated)
            return cipher.doFinal(plain)
        }

        private fun compressed(text: ByteArray, isGzip: Boolean): ByteArray {
            val out = ByteArrayOutputStream()
            val raw = Deflater(Deflater.DEFAULT_COMPRESSION, true)
            val packing = if (isGzip) GZIPOutputStream(out) else DeflaterOutputStream(out, raw)
            packing.use { it.write(text) }
            raw.end()
            return out.toByteArray()
        }

        /** RFC 7516: ECDH-ES directly, A128GCM, deflated. */
        private fun compact(text: ByteArray): ByteArray {
            val generator = KeyPairGenerator.getInstance("EC")
            generator.initialize(ECGenParameterSpec("secp256r1"))
            val ephemeral = generator.generateKeyPair()
            val agreement = KeyAgreement.getInstance("ECDH")
            agreement.init(ephemeral.private)
            agreement.doPhase(serverKey, true)
            val contentKey = concatKDF(agreement.generateSecret())
            val point = (ephemeral.public as ECPublicKey).w
            val epk = """{"kty":"EC","crv":"P-256","x":"${coordinate(point.affineX)}",""" +
                """"y":"${coordinate(point.affineY)}"}"""
            val header = base64url(
                """{"alg":"ECDH-ES","enc":"A128GCM","kid":"${key.id}","zip":"DEF","epk":$epk}"""
                    .toByteArray())
            val nonce = random(12)
            val plain = compressed(text, isGzip = false)
            val sealed = gcm(contentKey, nonce, header.toByteArray(), plain)
            val tag = sealed.copyOfRange(plain.size, sealed.size)
            val parts = listOf(nonce, sealed.copyOf(plain.size), tag).map { base64url(it) }
            return (header + ".." + parts.joinToString(".")).toByteArray()
        }

        /** One round of Concat KDF (RFC 7518 §4.6.2) for a key of 128 bits. */
        private fun concatKDF(shared: ByteArray): ByteArray {
            val round = ByteBuffer.allocate(4 + shared.size + 4 + 7 + 12)
            round.putInt(1).put(shared)
            round.putInt(7).put("A128GCM".toByteArray())
            round.putInt(0).putInt(0).putInt(128)
            return MessageDigest.getInstance("SHA-256").digest(round.array()).copyOf(16)
        }

        private fun base64url(bytes: ByteArray) =
            Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)

        /** 32 bytes, whatever a BigInteger makes of a sign and of leading zeros. */
        private fun coordinate(value: BigInteger) =
            base64url((ByteArray(32) + value.toByteArray()).takeLast(32).toByteArray())

        /** The point of a public key of P-256 (RFC 7518 §6.2.1). */
        private fun publicKey(jwk: String): ECPublicKey {
            val members = Json.members(jwk.toByteArray())
            require(members["kty"] == "EC" && members["crv"] == "P-256")
            val curve = AlgorithmParameters.getInstance("EC")
            curve.init(ECGenParameterSpec("secp256r1"))
            val point = ECPoint(number(members["x"]), number(members["y"]))
            val spec = ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec::class.java))
            return KeyFactory.getInstance("EC").generatePublic(spec) as ECPublicKey
        }

        private fun number(member: Any?): BigInteger {
            val bytes = Base64.getUrlDecoder().decode(member as String)
            require(bytes.size == 32)
            return BigInteger(1, bytes)
        }

        companion object {
            const val MAX_BODY = 65_535
            private val source = SecureRandom()

            fun random(count: Int) = ByteArray(count).also { source.nextBytes(it) }

            /** From 0 to 1. */
            fun draw() = source.nextDouble()
        }
    }

    // ---- Posting

    /** What came of an attempt: an answer, or why there is none (null where there is one). */
    private class Reply(
        val failure: String?, val status: Int = 0, val fields: Map<String, String> = emptyMap(),
        val body: ByteArray = ByteArray(0)
    ) {
        fun isOf(mediaType: String) =
            field("content-type").substringBefore(';').trim().equals(mediaType, ignoreCase = true)

        private fun field(name: String) = fields[name] ?: ""

        val isRedirect get() = status in 300..399 && "location" in fields

        /** Where a redirect leads: whoever answers has chosen it, so that no more is shown. */
        val target: String
            get() {
                val target = TARGET.matchEntire(field("location")) ?: return "what is no address"
                val (scheme, host, path, rest) = target.destructured
                val shown = scheme + host + path
                val isWhole = shown.length <= MAX_TARGET && rest == ""
                return shown.take(MAX_TARGET) + if (isWhole) "" else "\u2026"
            }

        /** What Retry-After says, in milliseconds; null where it is absent, malformed or past. */
        fun asked(now: Long): Long? {
            val field = field("retry-after")
            if (field == "") return null
            val wait = when {
                // What has too many digits is long, too.
                field.matches(Regex("[0-9]+")) -> 1000 * (field.take(9).toLong())
                else -> date(field)?.let { it - (date(field("date")) ?: now) } ?: 0
            }
            return if (wait > 0) minOf(wait, Backoff.MAX_ASKED) else null
        }

        companion object {
            const val MAX_LENGTH = 65_536
            private const val MAX_TARGET = 120
            /** Scheme, host and port, path, and the rest; without a user's name and password. */
            private val TARGET = Regex(
                "(?is)(?:((?:https?:)?//)(?:[^/\\\\?#]*@)?+([-a-z0-9._:\\[\\]]+)|(?=/(?!/)))"
                    + "((?:/[-a-z0-9/~%._]*)?)(.*)")

            /** `Sun, 06 Nov 1994 08:49:37 GMT`; the day of the week is nobody's business. */
            private fun date(text: String): Long? = try {
                val isRight = text.matches(Regex("[A-Za-z]{3}, .+"))
                // Made when it is needed, which is seldom: it is dear.
                val form = DateTimeFormatter.ofPattern("dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                val date = if (isRight) LocalDateTime.parse(text.drop(5), form) else null
                date?.toEpochSecond(ZoneOffset.UTC)?.times(1000)
            } catch (malformed: DateTimeException) {
                null
            }
        }
    }

    /**
     * Posts bodies over a socket of its own, so that an attempt can be called off at any moment.
     * Nothing is followed, kept or cached, and a proxy of the system is not asked.
     */
    private class Poster(server: String, app: String, fields: List<String>, options: Options) {
        private val address = URI(
            server.trimEnd('/') + "/v1/apps/$app/batches" + if (options.debug) "?dry_run=1" else "")
        private val head: String
        /** The machine gives an attempt up first. */
        private val timeout = (options.attempt + 1000).coerceAtMost(600_000).toInt()

        init {
            require(address.scheme == "http" || address.scheme == "https")
            require(address.host != null && address.rawUserInfo == null)
            require(app.matches(Regex("[A-Za-z0-9_-]{1,32}")))
            val target = address.rawPath + (address.rawQuery?.let { "?$it" } ?: "")
            val lines = listOf(
                "POST $target HTTP/1.1", "Host: ${address.rawAuthority}",
                "User-Agent: sojourn-kotlin/$VERSION", "Connection: close")
            head = (lines + fields).joinToString("\r\n") + "\r\nContent-Length: "
        }

        /** `finish` is told once, from another thread. */
        fun post(body: ByteArray, finish: (Reply) -> Unit): Attempt {
            val attempt = Attempt(body, finish)
            try {
                thread(name = "sojourn-post", isDaemon = true) { attempt.run() }
            } catch (none: OutOfMemoryError) {
                attempt.finish(Reply("no thread"))
            }
            return attempt
        }

        /** What came of connecting to an address: a socket, or why it is of no use. */
        private class Connection(val socket: Socket, val failure: Exception?)

        /** A request on a thread of its own. */
        inner class Attempt(private val body: ByteArray, private val then: (Reply) -> Unit) {
            private val isFinished = AtomicBoolean()
            /** Those that connect, or are connected. */
            private val sockets = ArrayList<Socket>()
            private var isCancelled = false

            /** With a connection it is over when that is closed; before there is one, at once. */
            @Synchronized fun cancel() {
                isCancelled = true
                if (sockets.isEmpty()) finish(Reply("cancelled"))
                closeAllBut(null)
            }

            fun finish(reply: Reply) {
                if (isFinished.compareAndSet(false, true)) then(reply)
            }

            fun run() {
                val reply = try {
                    val isTLS = address.scheme == "https"
                    val port = if (address.port >= 0) address.port else if (isTLS) 443 else 80
                    val plain = connected(port)
                    closeAllBut(plain)
                    plain.soTimeout = timeout
                    exchange(if (isTLS) secured(plain, port) else plain)
                } catch (failure: Throwable) {
                    Reply("no answer (${failure.javaClass.simpleName})")
                }
                closeAllBut(null)
                finish(reply)
            }

            /**
             * The first connection to one of the host's addresses. The next is tried beside those
             * before it when one has refused, or has not connected for some time.
             */
            private fun connected(port: Int): Socket {
                val addresses = InetAddress.getAllByName(address.host)
                val ends = LinkedBlockingQueue<Connection>()
                var last = Exception("no address")
                var begun = 0
                var failed = 0
                while (failed < addresses.size) {
                    if (begun < addresses.size) {
                        connect(InetSocketAddress(addresses[begun], port), ends)
                        begun++
                    }
                    val isLast = begun == addresses.size
                    val end: Connection? =
                        if (isLast) ends.take() else ends.poll(HEAD_START, TimeUnit.MILLISECONDS)
                    if (end == null) continue
                    last = end.failure ?: return end.socket
                    failed++
                }
                throw last
            }

            /** Begins to connect, on a thread that ends with the socket. */
            private fun connect(to: InetSocketAddress, ends: LinkedBlockingQueue<Connection>) {
                val socket = opened()
                thread(name = "sojourn-post", isDaemon = true) {
                    val failure = try {
                        socket.connect(to, timeout)
                        null
                    } catch (refused: Exception) {
                        refused
                    }
                    ends.add(Connection(socket, failure))
                }
            }

            @Synchronized private fun opened(): Socket {
                if (isCancelled) throw IOException("cancelled")
                val socket = Socket()
                sockets.add(socket)
                // From here on it has what can be closed: one that connects without it stays open.
                socket.tcpNoDelay = true
                return socket
            }

            @Synchronized private fun closeAllBut(used: Socket?) {
                for (socket in sockets) if (socket !== used) close(socket)
            }

            /** TLS as the system checks it; the host's name is only checked if one asks for it. */
            private fun secured(plain: Socket, port: Int): Socket {
                val factory = SSLSocketFactory.getDefault() as SSLSocketFactory
                val secure = factory.createSocket(plain, address.host, port, true) as SSLSocket
                secure.sslParameters = secure.sslParameters.apply {
                    endpointIdentificationAlgorithm = "HTTPS"
                }
                secure.startHandshake()
                return secure
            }

            private fun exchange(connection: Socket): Reply {
                val out = connection.getOutputStream()
                out.write((head + body.size + "\r\n\r\n").toByteArray() + body)
                out.flush()
                return AnswerReader(connection.getInputStream()).read()
            }

            private fun close(socket: Socket) = try {
                socket.close()
            } catch (unheard: IOException) {
                // It is not used again.
            }
        }

        private companion object {
            /** Milliseconds that an address has before the next is tried, too. */
            const val HEAD_START = 2000L
        }
    }

    /** Reads an answer (RFC 9112): 64 KiB of lines at most, and 64 KiB of body. */
    private class AnswerReader(stream: InputStream) {
        private val stream = BufferedInputStream(stream)
        private val body = ByteArrayOutputStream()
        private var lineLength = 0

        fun read(): Reply {
            while (true) {
                val line = line()
                check(line.matches(Regex("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")))
                val status = line.substring(9, 12).toInt()
                val fields = fields()
                if (status < 200) continue
                if (status != 204 && status != 304) readBody(fields)
                return Reply(null, status, fields, body.toByteArray())
            }
        }

        private fun check(isRight: Boolean) {
            if (!isRight) throw IOException("not an answer")
        }

        private fun fields(): Map<String, String> {
            val fields = TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER)
            while (true) {
                val line = line()
                if (line == "") return fields
                if (':' !in line) continue
                val name = line.substringBefore(':').trim()
                val value = line.substringAfter(':').trim()
                // A field that comes again is a list.
                fields[name] = fields[name]?.let { "$it, $value" } ?: value
            }
        }

        private fun readBody(fields: Map<String, String>) {
            val coding = fields["transfer-encoding"]
            val length = fields["content-length"]
            if (coding != null) {
                check(coding.equals("chunked", ignoreCase = true))
                readChunks()
            } else if (length != null) {
                val count = decimal(length)
                check(count >= 0)
                read(count)
            } else {
                while (true) add(stream.read().also { if (it < 0) return })
            }
        }

        private fun readChunks() {
            while (true) {
                val size = line().substringBefore(';').trim()
                check(size.matches(Regex("[0-9A-Fa-f]{1,8}")))
                val count = size.toLong(16)
                if (count == 0L) break
                read(count)
                check(line() == "")
            }
            while (line().isNotEmpty()) { }
        }

        private fun read(count: Long) {
            for (rest in count downTo 1) add(next())
        }

        private fun add(octet: Int) {
            check(body.size() < Reply.MAX_LENGTH)
            body.write(octet)
        }

        private fun next() = stream.read().also { check(it >= 0) }

        /** A line without its end. */
        private fun line(): String {
            val line = StringBuilder()
            while (true) {
                val next = next()
                if (next == NEWLINE.toInt()) return line.removeSuffix("\r").toString()
                check(++lineLength <= Reply.MAX_LENGTH)
                line.append(next.toChar())
            }
        }
    }

    // ---- Answers

    /** TOO_LARGE is a proxy's word. */
    private enum class Meaning { STORED, DROP, SPLIT, SPLIT_FIRST, TOO_LARGE, HOLD, RETRY }

    /** What an answer means: networks answer for servers that they hide. */
    private class Answer(
        val meaning: Meaning, val reason: String, private val members: Map<String, Any>
    ) {
        val rejected get() = members["rejected"] as Long

        /** What the server says of one event: a code and a detail, or that it is accepted. */
        fun verdict(index: Int): String {
            val rejections = members["rejections"] as? List<*> ?: emptyList<Any>()
            val one = rejections.firstOrNull { it is Map<*, *> && it["index"] == index.toLong() }
            return if (one is Map<*, *>) "${one["code"]} ${one["detail"]}" else "accepted"
        }

        companion object {
            /** By status and code: anything else is not our server's word. */
            private val CODES = mapOf(
                Meaning.DROP to listOf(
                    "400 undecodable", "400 malformed-json", "415 unsupported-media-type",
                    "415 unsupported-encoding", "422 unsupported-schema", "422 invalid-batch",
                    "422 invalid-resource", "422 invalid-device-id"),
                Meaning.HOLD to listOf(
                    "400 bad-request", "401 unauthorized", "401 unknown-key", "403 revoked-key",
                    "403 forbidden", "403 plain-not-allowed", "404 unknown-app", "404 not-found",
                    "405 method-not-allowed", "414 uri-too-long", "417 expectation-failed",
                    "431 header-too-large", "501 not-implemented", "505 version-not-supported"),
                Meaning.SPLIT to listOf(
                    "413 body-too-large", "413 inflated-too-large", "413 too-many-events",
                    "413 too-many-elements"),
                Meaning.SPLIT_FIRST to listOf("408 request-timeout"),
                Meaning.RETRY to listOf(
                    "429 rate-limited", "500 internal-error", "503 overloaded",
                    "503 shutting-down", "503 clock-unset", "507 storage-full"))

            private val NAMES = CODES.values.flatten().map { it.drop(4) }.toSet()

            fun judge(reply: Reply, batchID: String, isDryRun: Boolean): Answer {
                val members = Json.members(reply.body)
                val status = "status ${reply.status}"
                val isProblem = reply.isOf("application/problem+json")
                val code = if (isProblem) members["code"].toString() else ""
                val meaning = CODES.entries.firstOrNull { "${reply.status} $code" in it.value }?.key
                val isReceipt = reply.status == 200 && reply.isOf("application/json") &&
                    members["batch_id"] == batchID && members["accepted"] is Long &&
                    members["rejected"] is Long && (isDryRun || members["dry_run"] != true)
                if (isReceipt) return Answer(Meaning.STORED, "", members)
                if (meaning != null) {
                    return Answer(meaning, "$status, $code: ${members["detail"]}", members)
                }
                if (reply.status == 413 && code !in NAMES) {
                    val reason = " without a code: a proxy on the way lets too little through"
                    return Answer(Meaning.TOO_LARGE, status + reason, members)
                }
                val reason =
                    if (reply.isRedirect) ", a redirect to ${reply.target}, which is not followed"
                    else ", not the word of a sojourn server"
                return Answer(Meaning.RETRY, status + reason, members)
            }
        }
    }

    /** How long nothing is posted after a failure; milliseconds. */
    private object Backoff {
        const val MAX_ASKED = 86_400_000L

        /** `asked`: what Retry-After says. */
        fun wait(options: Options, failures: Long, isHold: Boolean, asked: Long?): Long {
            val doublings = minOf(failures - 1, 20).toInt()
            val most = minOf(options.backoff shl doublings, options.backoffCap)
            val drawn = most - (most / 2.0 * Sealer.draw()).toLong()
            val own = if (isHold) stretched(options.hold) else drawn
            val least = if (isHold) options.hold else drawn
            return if (asked != null && asked > least) stretched(asked) else own
        }

        /** Up to a quarter more, so that those who failed together do not return together. */
        fun stretched(wait: Long) = wait + (wait / 4.0 * Sealer.draw()).toLong()
    }

    // ---- Putting it together

    /**
     * What calls, answers and the clock make of sessions, the journal and uploads. It is called by
     * the client's thread alone, for what was called and at the moment that [alarm] names.
     */
    private inner class Machine(
        private val options: Options, private val disk: Disk, private val sealer: Sealer,
        private val poster: Poster, private val origin: Clock, private val fingerprint: Long
    ) {
        private val sessions = Sessions(options.sessionTimeout)
        private var opened: Journal? = null
        private val journal get() = opened!!
        private var pending = Lines()
        /** False from the moment at which the user switches off, whatever the disk says. */
        private var isRecording = false
        /** What the user has asked for and the disk has not taken yet. */
        private val wishes = ArrayDeque<Kind>()

        private var isForeground = false
        /** Whether what waits is to go now. */
        private var isWanted = false
        /** Whether more waits behind the batch on its way. */
        private var hasMore = false
        /** A count was refused that went alone: it goes with the next events. */
        private var isCountHeld = false
        private val windows = ArrayList<Window>()
        private var upload: Upload? = null
        private var uploads = 0
        /** The batch that was frozen for its first attempt. */
        private var fresh: String? = null
        /** When the oldest event that waits was appended. */
        private var oldest = NEVER
        /** Nothing is posted before: the server's wait, and the disk's. */
        private var next = clock()
        private var stalled = clock()
        /** The journal's, as [next] has it. */
        private var wait = Wait()
        /** When to look again. */
        private var wake = clock()

        val isOpen get() = opened != null

        private fun now() = clock()

        private fun after(milliseconds: Long) = clock() + milliseconds * MILLISECOND

        /** Not the failure's own text, which has the folder's path. */
        private fun log(what: String, failure: Exception) =
            this@Sojourn.log("$what: ${failure.javaClass.simpleName}")

        private fun log(line: String) = this@Sojourn.log(line)

        fun alarm(): Long {
            val moment = minOf(wake, upload?.end ?: NEVER)
            return windows.fold(moment) { first, window -> minOf(first, window.deadline) }
        }

        /** Does what is due by the clock, and begins an upload if one is due. */
        fun tick() {
            if (opened == null && wake <= now()) open()
            if (opened == null) return
            expireWindows()
            upload?.let { upload ->
                if (upload.end > now()) return@let
                if (upload.isGivenUp) this.upload = null else giveUp("no answer in time")
            }
            considerUpload()
        }

        /** Reads the journal. A call of the system may fail once; a disk is tried again later. */
        private fun open() {
            for (left in 2 downTo 0) {
                if (isOpen) break
                try {
                    opened = Journal(disk, options.journalLimit, Json.text(options.resource))
                    journal.ledger.frozen?.let { events(it) }
                } catch (failure: IOException) {
                    if (left == 0) log("the journal cannot be opened", failure)
                }
            }
            wake = after(1000)
            val ledger = opened?.ledger ?: return
            followWait()
            isRecording = ledger.isEnabled
            if (!isRecording) isOn = false
            inbox.wake()
            if (!journal.hasSomething) return
            // What waits from before goes, also in the background; a wait takes nothing of the time.
            isWanted = true
            windows.add(Window(maxOf(now(), next) + options.budget * MILLISECOND, null))
        }

        /** Takes over the wait that the journal has. The end of a batch ends it, too. */
        private fun followWait() {
            if (wait == journal.ledger.wait) return
            wait = journal.ledger.wait
            next = after(wait.remaining(System.currentTimeMillis(), fingerprint))
        }

        fun status(): Status {
            val waiting = journal.waiting
            val ledger = journal.ledger
            return Status(
                ledger.accepted, ledger.rejected,
                ledger.dropped + waiting.drops + journal.unwritten, ledger.deleted,
                waiting.events + ledger.pinnedEvents, ledger.wait.failures,
                maxOf(0, next - now()) / MILLISECOND)
        }

        // Calls

        /** Takes what was called, in its order. */
        fun take(batch: Batch) {
            if (batch.dropped > 0 && isRecording) pending.drop(batch.dropped)
            for (call in batch.calls) {
                try {
                    take(call)
                } catch (failure: RuntimeException) {
                    log("a call failed", failure)
                }
            }
            append()
        }

        private fun take(call: Call) {
            when (call.kind) {
                Kind.OWN, Kind.EVENT -> record(call)
                Kind.FOREGROUND -> {
                    isWanted = isWanted || journal.hasSomething || pending.size > 0
                    isForeground = true
                    change(sessions.foreground(call.moment), call)
                }
                Kind.BACKGROUND -> {
                    endSession(call)
                    isForeground = false
                    open(call.moment + options.budget * MILLISECOND, call)
                }
                Kind.TERMINATE -> {
                    endSession(call)
                    call.finish(true)
                }
                Kind.FLUSH -> open(call.moment, call)
                Kind.SYNC -> {
                    append()
                    call.finish(true)
                }
                Kind.ENABLE, Kind.DISABLE, Kind.FORGET -> {
                    append()
                    wish(call.kind)
                    call.finish(true)
                }
                Kind.POSTED -> call.run()
            }
        }

        /**
         * Whoever asks now says how long; a start's own window is over. An attempt that runs is
         * given up a little before, so that its failure is noted within the time.
         */
        private fun open(deadline: Long, call: Call) {
            windows.removeAll { it.call == null }
            val margin = minOf(maxOf(0, deadline - now()) / 10, 100 * MILLISECOND)
            windows.add(Window(deadline - margin, call))
        }

        private fun change(name: String?, call: Call) {
            if (name != null && isRecording) {
                add(name, emptyMap<String, Any>(), call.moment, sessions.latest)
            }
        }

        private fun endSession(call: Call) {
            change(sessions.background(call.moment), call)
            append()
            try {
                journal.sync()
            } catch (failure: IOException) {
                log("the journal cannot be synced", failure)
            }
        }

        private fun record(call: Call) {
            if (!isRecording) return call.finish(false)
            val rule = EventRule.broken(call.name, call.attributes, call.kind == Kind.OWN)
            if (rule != null || call.name == null) {
                val name = if (rule == "invalid-name") "" else "of ${call.name} "
                log("a call ${name}is refused: $rule")
                pending.drop(1)
                return call.finish(false)
            }
            add(call.name, call.attributes, call.moment, sessions.current)
            if (call.name == "content.complete") complete(call)
        }

        /** Notes a content as completed, after its event: the app hears when both are written. */
        private fun complete(call: Call) {
            append()
            val isFirst = journal.ledger.complete(call.attributes["content.id"] as String)
            try {
                if (isFirst) journal.step()
            } catch (failure: IOException) {
                log("a completed content cannot be noted", failure)
            }
            call.finish(isFirst)
        }

        private fun add(name: String, attributes: Map<*, *>, moment: Long, session: String?) {
            pending.add(Json.event(name, origin.time(moment), attributes, session))
            if (pending.size >= minOf(16_384, options.journalLimit / 8)) append()
        }

        private fun append() {
            if (pending.size == 0) return
            val lines = pending
            pending = Lines()
            try {
                journal.append(lines)
            } catch (failure: IOException) {
                log("events could not be written", failure)
            }
            oldest = minOf(oldest, now())
            isCountHeld = false
        }

        /** Does what the user asks for. Where the disk fails nothing is posted until it is done. */
        private fun wish(wish: Kind) {
            if (wish != Kind.ENABLE) abandonUploads()
            if (wish == Kind.FORGET) {
                sessions.forget()
            } else {
                isRecording = wish == Kind.ENABLE
                isOn = isRecording
            }
            wishes.add(wish)
            for (left in 1..3) if (fulfilWishes()) return
        }

        private fun fulfilWishes(): Boolean {
            while (wishes.isNotEmpty()) {
                try {
                    when (wishes.first) {
                        Kind.ENABLE -> journal.step { it.isEnabled = true }
                        Kind.DISABLE -> journal.wipe { it.isEnabled = false }
                        else -> journal.wipe { it.forget() }
                    }
                } catch (failure: IOException) {
                    log("a wish of the user cannot be noted", failure)
                    return false
                }
                wishes.remove()
            }
            return true
        }

        // When an upload is due, and how long it may last

        private fun expireWindows() {
            for (window in windows.filter { it.deadline <= now() }) {
                windows.remove(window)
                val isOver = windows.isEmpty() && (window.call != null || !isForeground)
                if (isOver && upload?.isGivenUp == false) giveUp("the time for it is over")
                finish(window)
            }
        }

        /** Those whose time is over before something may happen need not wait for it. */
        private fun finishWindows(before: Long) {
            for (window in windows.filter { it.deadline <= before }) {
                windows.remove(window)
                finish(window)
            }
        }

        private fun finish(window: Window) {
            window.call?.finish(!journal.hasSomething)
        }

        private fun giveUp(reason: String) {
            cancel()
            fail(reason)
        }

        private fun abandonUploads() {
            if (upload?.isGivenUp == false) cancel()
            fresh = null
            isWanted = false
            hasMore = false
            oldest = NEVER
        }

        /** Another attempt may begin when the connection is closed, or an attempt's time later. */
        private fun cancel() {
            val upload = upload ?: return
            upload.isGivenUp = true
            upload.end = after(options.attempt)
            upload.attempt?.cancel()
        }

        /** Begins an attempt if one is due and may be; otherwise comes back when it is. */
        private fun considerUpload() {
            wake = NEVER
            upload?.let { upload ->
                // Nothing more can come of it for those who cannot wait for the next.
                if (upload.isGivenUp) finishWindows(next)
                return
            }
            if (stalled <= now() && !fulfilWishes()) stalled = after(1000)
            if (stalled > now()) return sleepUntil(stalled)
            if (!journal.hasSomething || !journal.ledger.isEnabled) {
                isWanted = false
                return finishWindows(NEVER)
            }
            val isAllowed = isForeground || windows.isNotEmpty() || options.debug
            if (!isAllowed || !isDue()) return
            followWait()
            val isHeld = isCountHeld && !journal.isPending && journal.waiting.events == 0L
            when {
                isHeld -> finishWindows(NEVER)
                next > now() -> sleepUntil(next)
                else -> attempt()
            }
        }

        private fun sleepUntil(moment: Long) {
            finishWindows(moment)
            wake = moment
        }

        private fun isDue(): Boolean {
            val interval = if (options.debug) DEBUG_INTERVAL else options.interval
            val ripe = minOf(oldest, now()) + interval * MILLISECOND
            val isDue = isWanted || journal.isPending || ripe <= now() ||
                windows.any { it.call != null } || journal.waiting.bytes >= THRESHOLD
            if (!isDue) wake = ripe
            return isDue
        }

        private fun attempt() {
            try {
                val body = prepared()
                val frozen = journal.ledger.frozen
                if (body == null || frozen == null) {
                    wake = now()
                    return
                }
                val number = ++uploads
                val upload = Upload(number, frozen.batchID == fresh, after(options.attempt))
                fresh = null
                this.upload = upload
                upload.attempt = poster.post(body) { reply ->
                    inbox.put(Call(Kind.POSTED, 0, then = { posted(number, reply) }))
                }
            } catch (failure: IOException) {
                stall(failure)
            } catch (failure: GeneralSecurityException) {
                stall(failure)
            }
        }

        /** Something of our own is in the way. */
        private fun stall(failure: Exception) {
            log("nothing can be uploaded", failure)
            stalled = after(200)
            sleepUntil(stalled)
        }

        /** The body of the batch on its way, which is frozen if none is; null: look again. */
        private fun prepared(): ByteArray? {
            journal.makeUpForDeleted()
            if (journal.ledger.frozen == null) {
                journal.freeze()
                fresh = journal.ledger.frozen?.batchID
                oldest = NEVER
            }
            val frozen = journal.ledger.frozen ?: return null
            hasMore = journal.waiting.events > 0 || journal.ledger.undone != null
            val events = events(frozen) ?: return null
            val isOwn = journal.isOwn(frozen)
            val sentAt = if (isOwn) origin.time(now()) else System.currentTimeMillis()
            val body = sealer.seal(journal.text(frozen, events, sentAt))
            if (body.size <= Sealer.MAX_BODY) return body
            // Text that hardly compresses, under jwe: it was never sent, and goes in halves.
            journal.step { it.undo(frozen) }
            return null
        }

        /** The events of the batch on its way; one that cannot be read any more is dropped. */
        private fun events(frozen: Frozen): List<String>? {
            val events = journal.events(frozen)
            if (events == null) {
                log("a batch cannot be read any more: its events are dropped")
                journal.step { it.refuse(frozen) }
            }
            return events
        }

        // What an answer does

        /** Takes what came of an attempt; one that is no longer waited for is ignored. */
        private fun posted(number: Int, reply: Reply) {
            val over = upload
            if (over?.number != number) return
            upload = null
            when {
                over.isGivenUp -> return
                reply.failure == null -> answered(over, reply)
                else -> fail(reply.failure)
            }
        }

        private fun answered(over: Upload, reply: Reply) {
            val frozen = journal.ledger.frozen ?: return
            val asked = reply.asked(System.currentTimeMillis())
            val answer = Answer.judge(reply, frozen.batchID, options.debug)
            val isTooLarge = answer.meaning == Meaning.TOO_LARGE
            val tooLarge = if (isTooLarge) frozen.tooLarge + 1 else 0
            // A count alone cannot be split, only sent again: not at once.
            val isSplit = when (answer.meaning) {
                Meaning.SPLIT -> frozen.events > 0
                Meaning.SPLIT_FIRST -> frozen.events > 0 && over.isFirst
                // An earlier attempt may have been stored, and a single event is kept.
                Meaning.TOO_LARGE ->
                    frozen.events > 1 && (over.isFirst || tooLarge >= MAX_TOO_LARGE)
                else -> false
            }
            if (answer.meaning == Meaning.STORED) {
                if (options.debug) tell(frozen, answer)
                settle(frozen) { it.settle(frozen, answer.rejected) }
                isWanted = hasMore
            } else if (answer.meaning == Meaning.DROP) {
                log("a batch of ${frozen.events} events is refused and dropped: ${answer.reason}")
                settle(frozen) { it.refuse(frozen) }
                isWanted = hasMore
                isCountHeld = frozen.events == 0L
            } else if (isSplit) {
                log("a batch is too large and is split: ${answer.reason}")
                split(frozen, asked)
            } else {
                fail(answer.reason, asked, answer.meaning == Meaning.HOLD, tooLarge)
            }
        }

        /** In debug builds: what the server thinks of each event. */
        private fun tell(frozen: Frozen, answer: Answer) {
            try {
                journal.events(frozen)?.forEachIndexed { index, event ->
                    val name = Json.members(event.toByteArray())["name"]
                    log("verdict $name ${answer.verdict(index)}")
                }
            } catch (unread: IOException) {
                log("the verdicts cannot be shown", unread)
            }
        }

        private fun split(frozen: Frozen, asked: Long?) {
            val span = Backoff.stretched(asked ?: 0)
            val until = System.currentTimeMillis() + span
            settle(frozen) {
                it.undo(frozen)
                if (asked != null) it.wait = Wait(it.wait.failures, until, span)
            }
            isWanted = true
        }

        /**
         * One step that ends a batch. Where the disk does not take it the batch goes again later,
         * and the server knows it.
         */
        private fun settle(frozen: Frozen, change: (Ledger) -> Unit) {
            for (left in 1..3) {
                try {
                    // Its file may be gone by now.
                    journal.step { if (it.frozen == frozen) change(it) }
                    followWait()
                    return
                } catch (failure: IOException) {
                    log("an answer cannot be noted", failure)
                }
            }
            fail("the journal cannot be written")
        }

        /** Waits, and notes it: a restart must not post any earlier. */
        private fun fail(
            reason: String, asked: Long? = null, isHold: Boolean = false, tooLarge: Long = 0
        ) {
            log("an upload failed: $reason")
            val failures = journal.ledger.wait.failures + 1
            val span = Backoff.wait(options, failures, isHold, asked)
            next = after(span)
            val until = System.currentTimeMillis() + span
            val wait = Wait(failures, until, span, if (isHold) fingerprint else 0)
            try {
                journal.step {
                    it.wait = wait
                    it.frozen = it.frozen?.copy(tooLarge = tooLarge)
                }
                this.wait = wait
            } catch (failure: IOException) {
                log("a failure cannot be noted", failure)
            }
        }
    }

    /** A time in which uploads may run, and who waits for its end: null for the start's own. */
    private class Window(val deadline: Long, val call: Call?)

    /** An upload that runs; given up, until its connection is closed. */
    private class Upload(val number: Int, val isFirst: Boolean, var end: Long) {
        var isGivenUp = false
        var attempt: Poster.Attempt? = null
    }

    internal companion object {
        /** In debug builds verdicts are wanted soon; milliseconds. */
        private const val DEBUG_INTERVAL = 1000L
        /** Bytes that wait, from which on they are uploaded in the foreground. */
        private const val THRESHOLD = 32_768
        /** A proxy's 413 in a row, with which a batch that may be stored is split. */
        private const val MAX_TOO_LARGE = 3

        private fun leadingNumbers(version: String): String {
            val numbers = version.takeWhile { it in "0123456789." }
            return if (numbers == "") "0" else numbers
        }

        /** The members of a JSON object, for the adapter; null where it is none. */
        internal fun attributes(text: String) = Json.members(text.toByteArray()).let {
            if (it.isEmpty() && text.replace(" ", "") != "{}") null else it
        }
    }

    // ---- JSON

    /** As much of JSON as events, answers and messages need. */
    private class Json private constructor(private val text: String) {
        private var at = 0

        private fun skipBlanks() {
            while (at < text.length && text[at] in " \t\r\n") at++
        }

        private fun take(unit: Char): Boolean {
            skipBlanks()
            val isThere = at < text.length && text[at] == unit
            if (isThere) at++
            return isThere
        }

        private fun value(depth: Int): Any {
            require(depth <= MAX_DEPTH + 1)
            return when {
                take('{') -> members(depth)
                take('[') -> elements(depth)
                take('"') -> string()
                word("true") -> true
                word("false") -> false
                word("null") -> Unit
                else -> number()
            }
        }

        private fun word(word: String): Boolean {
            val isThere = text.startsWith(word, at)
            if (isThere) at += word.length
            return isThere
        }

        private fun members(depth: Int): Map<String, Any> {
            val members = LinkedHashMap<String, Any>()
            if (take('}')) return members
            do {
                require(take('"'))
                val name = string()
                require(take(':'))
                require(members.put(name, value(depth + 1)) == null)
            } while (take(','))
            require(take('}'))
            return members
        }

        private fun elements(depth: Int): List<Any> {
            val elements = ArrayList<Any>()
            if (take(']')) return elements
            do {
                elements.add(value(depth + 1))
            } while (take(','))
            require(take(']'))
            return elements
        }

        private fun string(): String {
            val out = StringBuilder()
            while (true) {
                val unit = text[at++]
                if (unit == '"') break
                require(unit >= ' ')
                out.append(if (unit == '\\') escaped() else unit)
            }
            val whole = out.toString()
            // No lone surrogate.
            require(Charsets.UTF_8.newEncoder().canEncode(whole))
            return whole
        }

        private fun escaped(): Char {
            val unit = text[at++]
            if (unit != 'u') return "\"\\/\b\u000c\n\r\t"["\"\\/bfnrt".indexOf(unit)]
            val digits = text.substring(at, at + 4)
            require(digits.matches(Regex("[0-9A-Fa-f]{4}")))
            at += 4
            return digits.toInt(16).toChar()
        }

        private fun number(): Any {
            val digits = text.substring(at).takeWhile { it in "+-.0123456789Ee" }
            at += digits.length
            require(digits.matches(NUMBER))
            return when {
                !digits.matches(Regex("-?[0-9]+")) -> digits.toDouble()
                digits.length < 18 -> digits.toLong()
                else -> digits.toBigInteger()
            }
        }

        companion object {
            private const val MAX_DEPTH = 16
            private val NUMBER = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")

            fun event(name: String, time: Long, attributes: Map<*, *>, session: String?): String {
                // It is the client's: one that is given is replaced.
                val own = LinkedHashMap<Any?, Any?>(attributes)
                own.remove(SESSION)
                if (session != null) own[SESSION] = session
                return text(mapOf("name" to name, "time" to time, "attributes" to own))
            }

            fun text(value: Any?): String = when (value) {
                is Map<*, *> -> value.entries.joinToString(",", "{", "}") { (name, member) ->
                    text(name) + ":" + text(member)
                }
                is List<*> -> value.joinToString(",", "[", "]") { text(it) }
                is String -> quoted(value)
                else -> value.toString()
            }

            private fun quoted(string: String): String {
                val out = StringBuilder(string.length + 2).append('"')
                for (unit in string) {
                    when {
                        unit < ' ' -> out.append(String.format("\\u%04x", unit - '\u0000'))
                        unit == '"' || unit == '\\' -> out.append('\\').append(unit)
                        else -> out.append(unit)
                    }
                }
                return out.append('"').toString()
            }

            /** UTF-8 as a text; null where it is not that. */
            fun decoded(bytes: ByteArray): String? = try {
                Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString()
            } catch (malformed: CharacterCodingException) {
                null
            }

            /**
             * The members of an object: Map, List, String, Long, BigInteger, Double, Boolean, and
             * Unit for null. None where it is no object, or not I-JSON.
             */
            fun members(bytes: ByteArray): Map<String, Any> = try {
                val json = Json(decoded(bytes) ?: "")
                require(json.take('{'))
                val members = json.members(1)
                json.skipBlanks()
                require(json.at == json.text.length)
                members
            } catch (malformed: IllegalArgumentException) {
                emptyMap()
            } catch (cutShort: IndexOutOfBoundsException) {
                emptyMap()
            }
        }
    }
}

private fun newID() = UUID.randomUUID().toString()

/** 53 bits that tell texts apart; never 0. */
private fun fingerprint(vararg texts: String): Long {
    val all = texts.joinToString("\n").toByteArray()
    val digest = MessageDigest.getInstance("SHA-256").digest(all)
    return maxOf(1, ByteBuffer.wrap(digest).long ushr 11)
}

/** 1 to 16 digits as a number; -1 for anything else. */
private fun decimal(text: String) =
    if (text.length in 1..16 && text.all { it in '0'..'9' }) text.toLong() else -1

/** What the app hands in may throw, and nobody here could do anything about it. */
private inline fun quiet(body: () -> Unit) {
    try {
        body()
    } catch (theApps: Exception) {
        // Its own business.
    }
}

// ---- The judge's adapter

/** Commands on standard input, one answer each on standard output: for tests alone. */
fun main() {
    val adapter = Adapter()
    val commands = System.`in`.bufferedReader()
    val answers = System.out.writer()
    while (true) {
        val line = commands.readLine()
        if (line == null || line == "quit") break
        answers.write(adapter.answer(line) + "\n")
        answers.flush()
    }
    adapter.quit()
    Runtime.getRuntime().halt(0)
}

private class Adapter {
    /** Calls before the start go to it; its folder is the start's. */
    private val sojourn = Sojourn(null)
    private val bridge = sojourn.bridge(System.getenv("CLIENT_CONTENT_ID"))

    fun answer(line: String): String {
        val word = line.substringBefore(' ')
        val rest = line.substringAfter(' ', "")
        val first = rest.substringBefore(' ')
        val last = rest.substringAfter(' ', "")
        when (word) {
            "start" -> return start(rest.split(" ", limit = 5), false)
            "start-jwe" -> return start(rest.split(" ", limit = 6), true)
            "background" -> return waited { done -> sojourn.background { done("ok") } }
            "sync" -> return waited { done -> sojourn.status { done("ok") } }
            "flush" -> return waited { done ->
                sojourn.flush(decimal(rest)) { isDone -> done(if (isDone) "done" else "waiting") }
            }
            "enable" -> return waited { done -> sojourn.enable(rest == "on") { done("ok") } }
            "forget" -> return waited { done -> sojourn.forget { done("ok") } }
            "web" -> return if (bridge.decide(last, first == "main")) "handled" else "load"
            "bench" -> return bench(decimal(rest).toInt())
            "status" -> return waited { done -> sojourn.status { done(text(it)) } }
            "foreground" -> sojourn.foreground()
            "screen" -> sojourn.screen(rest)
            "count" -> sojourn.count(last, decimal(first))
            "event" -> sojourn.event(first, attributes(last))
            "message" -> bridge.message(last, first == "main")
            "video" -> sojourn.video(last).run { if (first == "enter") enter() else exit() }
            "content" -> return content(first, last)
            else -> return "error unknown"
        }
        return "ok"
    }

    fun quit() = waited { done -> sojourn.terminate { done("") } }

    private fun start(words: List<String>, isJWE: Boolean): String {
        if (words.size < (if (isJWE) 6 else 5)) return "error unknown"
        val secret = File(words[3]).readText().trim()
        val key = if (isJWE) Sojourn.Key.jwe(words[2], secret, File(words[4]).readText().trim())
            else Sojourn.Key.aes128gcm(words[2], base64url(secret))
        return waited { done ->
            sojourn.start(words[1], key, words[0], options(), File(words.last())) { isOurs ->
                done(if (isOurs) "ok" else "error busy")
            }
        }
    }

    private fun options(): Sojourn.Options {
        val options = Sojourn.Options(
            sessionTimeout = number("SESSION_TIMEOUT_MS", 1_800_000),
            journalLimit = number("JOURNAL_BYTES", 5L shl 20).toInt(),
            debug = System.getenv("CLIENT_DEBUG") == "1",
            log = { System.err.println(it) },
            appVersion = System.getenv("CLIENT_VERSION") ?: "0")
        options.budget = number("BUDGET_MS", options.budget)
        options.attempt = number("ATTEMPT_MS", options.attempt)
        options.backoff = number("BACKOFF_MS", options.backoff)
        options.backoffCap = number("BACKOFF_CAP_MS", options.backoffCap)
        options.hold = number("HOLD_MS", options.hold)
        options.interval = number("INTERVAL_MS", options.interval)
        return options
    }

    private fun number(name: String, otherwise: Long) =
        System.getenv("CLIENT_$name")?.let { decimal(it) } ?: otherwise

    private fun base64url(digits: String): String {
        val bytes = digits.chunked(2).map { it.toInt(16).toByte() }.toByteArray()
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)
    }

    /** Whatever the line has between its braces, as the client's own reader has it. */
    private fun attributes(text: String): Map<String, Any?> =
        Sojourn.attributes(text) ?: mapOf("" to false)

    private fun content(word: String, id: String): String {
        if (word == "completed") {
            return waited { done ->
                sojourn.content(id).completed { isFirst ->
                    done(if (isFirst) "ok first" else "ok again")
                }
            }
        }
        sojourn.content(id).viewed()
        return "ok"
    }

    private fun bench(count: Int): String {
        for (n in 0 until count / 10) sojourn.event("bench", mapOf("n" to n))
        val times = LongArray(maxOf(1, count))
        for (n in 0 until count) {
            val began = System.nanoTime()
            sojourn.event("bench", mapOf("n" to n))
            times[n] = System.nanoTime() - began
        }
        times.sort()
        return "bench ${times[count / 2]} ${times[(count * 99L / 100).toInt()]}"
    }

    private fun text(status: Sojourn.Status) = status.run {
        "status appended=$appended accepted=$accepted rejected=$rejected dropped=$dropped " +
            "deleted=$deleted waiting=$waiting failures=$failures next=$next"
    }

    private fun waited(body: ((String) -> Unit) -> Unit): String {
        val answer = CompletableFuture<String>()
        body { answer.complete(it) }
        return answer.join()
    }
}
