import java.io.*;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.*;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.*;
import java.security.interfaces.ECPublicKey;
import java.security.spec.*;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.*;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Counts how an app is used. Copy this file into the app's package, and begin:
 *
 * <pre>
 * Sojourn sojourn = new Sojourn(folder);
 * sojourn.start("shop", Key.aes128gcm("k1", "SECRET"), "https://stats.example.org");
 * sojourn.screen("menu");
 * </pre>
 *
 * No call throws or waits for a file or the network, and all may be called from any thread: a call
 * puts a value into memory, and the client's one thread does the rest. Each event reaches the
 * server once, or is counted in the {@code dropped_events} of a later batch (docs/client.md).
 *
 * <p>The file in the order in which an event goes through it: the calls and what they take; the
 * {@link Inbox} that holds them; {@link EventRule} and {@link Sessions}; the {@link Journal} with
 * its files; the {@link Sealer} and the {@link Poster}; what an {@link Answer} means; the
 * {@link Machine} that puts all this together. {@link Adapter}, for tests alone, is the end.
 */
public final class Sojourn {
    public static final String VERSION = "0.1.0";
    private static final long MILLISECOND = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final File folder;
    private final LongSupplier clock;
    private final Inbox inbox;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private volatile boolean isEnabled = true;
    private volatile Consumer<String> log = line -> { };
    private volatile Executor callbacks = Runnable::run;
    /** Touched by the client's thread alone; null until the client has started. */
    private Machine machine;

    /** @param folder where the journal lies: the client's own, and in no backup. */
    public Sojourn(File folder) {
        this(folder, System::nanoTime);
    }

    /** @param clock nanoseconds that nobody sets; on Android they should count sleep, too. */
    public Sojourn(File folder, LongSupplier clock) {
        this.folder = folder;
        this.clock = clock;
        inbox = new Inbox(clock);
    }

    // ---- Calls

    /** Starts. Calls before it are held, the newest 1,000. A second start is ignored. */
    public void start(String app, Key key, String server) {
        start(app, key, server, new Options());
    }

    public void start(String app, Key key, String server, Options options) {
        start(app, key, server, options, folder, isOurs -> { });
    }

    private void start(String app, Key key, String server, Options options, File folder,
            Consumer<Boolean> then) {
        if (!isStarted.compareAndSet(false, true)) {
            log("a second start is ignored");
            then.accept(true);
            return;
        }
        Options chosen = options == null ? new Options() : options;
        log = chosen.log;
        callbacks = chosen.callbacks;
        Clock origin = new Clock(System.currentTimeMillis(), clock.getAsLong());
        Thread thread = new Thread(
                () -> work(() -> open(app, key, server, chosen, folder, origin), then), "sojourn");
        thread.setDaemon(true);
        thread.start();
    }

    /** An important page was seen. Makes {@code screen.view}. */
    public void screen(String name) {
        record("screen.view", Collections.singletonMap("app.screen.name", name));
    }

    public void count(String name) {
        count(name, 1);
    }

    /** A counter went up, by 1 to 10^9. Makes one {@code usage.counter}. */
    public void count(String name, long by) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        attributes.put("counter.name", name);
        attributes.put("counter.value", by);
        record("usage.counter", attributes);
    }

    public void event(String name) {
        event(name, Collections.emptyMap());
    }

    /**
     * The app's own event. Values are strings, integers, doubles and booleans; at most 31. A name
     * that has a call of its own, as {@code screen.view}, is refused.
     */
    public void event(String name, Map<String, ?> attributes) {
        inbox.put(new Call(Call.Kind.OWN, clock.getAsLong(), name, copy(attributes), null));
    }

    public Content content(String id) {
        return new Content(id);
    }

    public Video video(String id) {
        return new Video(id);
    }

    /** Tries to upload now; waits after failures hold. {@code then}: whether nothing waits. */
    public void flush(long milliseconds, Consumer<Boolean> then) {
        long time = Math.min(Math.max(0, milliseconds), 86_400_000);
        long end = clock.getAsLong() + time * MILLISECOND;
        inbox.put(new Call(Call.Kind.FLUSH, end, null, null, then));
    }

    /** False deletes what waits; nothing is recorded from then on, also after a restart. */
    public void setEnabled(boolean isEnabled) {
        setEnabled(isEnabled, ignored -> { });
    }

    private void setEnabled(boolean isEnabled, Consumer<Boolean> then) {
        this.isEnabled = isEnabled;
        command(isEnabled ? Call.Kind.ENABLE : Call.Kind.DISABLE, then);
    }

    public boolean isEnabled() {
        return isEnabled;
    }

    /** Deletes what waits; from now on this is another device, with a new random id. */
    public void forget() {
        forget(ignored -> { });
    }

    private void forget(Consumer<Boolean> then) {
        command(Call.Kind.FORGET, then);
    }

    /** The app came to the foreground. */
    public void foreground() {
        command(Call.Kind.FOREGROUND, ignored -> { });
    }

    public void background() {
        background(() -> { });
    }

    /** The app went to the background; {@code then} when the upload is over, after 5 s at most. */
    public void background(Runnable then) {
        command(Call.Kind.BACKGROUND, ignored -> then.run());
    }

    /** The process ends; {@code then} when all that was recorded is on the disk. */
    public void terminate(Runnable then) {
        command(Call.Kind.TERMINATE, ignored -> then.run());
    }

    /**
     * The account of this installation, when all calls before it are in the journal; an empty one
     * after a start that failed.
     */
    public void status(Consumer<Status> then) {
        command(Call.Kind.SYNC, ignored ->
                then.accept(machine == null ? new Status() : machine.status()));
    }

    private void command(Call.Kind kind, Consumer<Boolean> then) {
        inbox.put(new Call(kind, clock.getAsLong(), null, null, then));
    }

    private void record(String name, Map<?, ?> attributes) {
        inbox.put(new Call(Call.Kind.EVENT, clock.getAsLong(), name, attributes, null));
    }

    /** A copy, since the caller's map may change. What cannot be copied breaks a rule later. */
    private static Map<?, ?> copy(Map<String, ?> attributes) {
        try {
            if (attributes == null) return Collections.emptyMap();
            boolean isHuge = attributes.size() > 2 * EventRule.MAX_ATTRIBUTES;
            if (!isHuge) return new LinkedHashMap<>(attributes);
        } catch (RuntimeException changedMeanwhile) {
            // Whoever changes it while it is handed in gets no event.
        }
        return Collections.singletonMap("", "");
    }

    // ---- The client's thread

    /** Takes what is called, and does what is due. Nothing that goes wrong in it may end it. */
    private void work(BooleanSupplier opening, Consumer<Boolean> then) {
        then.accept(opening.getAsBoolean());
        inbox.start();
        while (true) {
            try {
                if (machine == null) {
                    // The start failed: nothing is recorded, and nobody waits for anything.
                    for (Call call : inbox.take(NEVER, true).calls) call.finish(false);
                    continue;
                }
                machine.tick();
                boolean isOpen = machine.isOpen();
                Inbox.Batch batch = inbox.take(machine.alarm(), isOpen);
                if (isOpen) machine.take(batch);
            } catch (RuntimeException | Error failure) {
                log("a task failed: " + failure.getClass().getName());
                // What fails at once again must not take a core.
                LockSupport.parkNanos(1000 * MILLISECOND);
            }
        }
    }

    private boolean open(String app, Key key, String server, Options options, File folder,
            Clock origin) {
        try {
            Disk disk = new Disk((options.debug ? new File(folder, "debug") : folder).toPath());
            Sealer sealer = new Sealer(key);
            Poster poster = new Poster(server, app, sealer.fields(), options);
            if (!disk.claim()) {
                log("cannot start: another process has the folder");
                return false;
            }
            long fingerprint = fingerprint(server, app, key.toString());
            machine = new Machine(options, disk, sealer, poster, origin, fingerprint);
        } catch (RuntimeException | GeneralSecurityException failure) {
            log("cannot start: the key is not 43 characters of base64url, or a JWK of P-256; or the"
                    + " server is not http:// or https:// with a host");
        }
        return true;
    }

    /** One line for a developer: what a server or an app says begins none of its own. */
    private void log(String line) {
        String start = line.length() > 1000 ? line.substring(0, 1000) : line;
        quiet(log).accept(start.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]", "?"));
    }

    /** What the app hands in may throw, and nobody here could do anything about it. */
    private static <T> Consumer<T> quiet(Consumer<T> then) {
        return value -> {
            try {
                then.accept(value);
            } catch (RuntimeException theApps) {
                // Its own business.
            }
        };
    }

    /** 53 bits that tell texts apart; never 0. */
    private static long fingerprint(String... texts) {
        try {
            byte[] all = String.join("\n", texts).getBytes(UTF_8);
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(all);
            return Math.max(1, ByteBuffer.wrap(digest).getLong() >>> 11);
        } catch (GeneralSecurityException never) {
            throw new IllegalStateException(never);
        }
    }

    // ---- What an app gives and gets

    /** What a batch is sealed with; {@code sojourn key add --for java} prints it. */
    public static final class Key {
        private final String id;
        /** Of aes128gcm; null for jwe. */
        private final byte[] secret;
        private final String jwk;
        private final String token;

        private Key(String id, byte[] secret, String jwk, String token) {
            this.id = String.valueOf(id);
            this.secret = secret;
            this.jwk = String.valueOf(jwk);
            this.token = String.valueOf(token);
        }

        /** @param secret 32 bytes in base64url; another one is logged at the start. */
        public static Key aes128gcm(String id, String secret) {
            try {
                byte[] bytes = Base64.getUrlDecoder().decode(String.valueOf(secret));
                return new Key(id, bytes, null, null);
            } catch (IllegalArgumentException noBase64) {
                return new Key(id, new byte[0], null, null);
            }
        }

        /** ECDH-ES and A128GCM. {@code jwk}: the public key; {@code token}: of scope ingest. */
        public static Key jwe(String id, String jwk, String token) {
            return new Key(id, null, jwk, token);
        }

        /** For the fingerprint alone: it is shown nowhere. */
        @Override public String toString() {
            String own = secret == null ? jwk : Base64.getEncoder().encodeToString(secret);
            return String.join("\n", id, own, token);
        }
    }

    /** What a client may be started with. Times are milliseconds. */
    public static final class Options {
        /** Time in the background after which another session begins. */
        public long sessionTimeout = 1_800_000;
        /** Bytes of waiting events at most; beyond them the oldest are dropped and counted. */
        public int journalLimit = 5 << 20;
        /** Whether events are judged, with a verdict each in the log, and not stored. */
        public boolean debug = false;
        /** Each line for a developer; never an id, a secret, a token or a body. */
        public Consumer<String> log = line -> { };
        /** Where {@code completed} calls back; on Android the main thread. */
        public Executor callbacks = Runnable::run;
        /** What a batch says of the device and the app; what is empty is left out. */
        public String osName = "Linux";
        public String osVersion = leadingNumbers(System.getProperty("os.version", ""));
        public String model = System.getProperty("os.arch", "");
        public String manufacturer = "";
        public String appVersion = "0";
        public String appBuild = "";

        // What tests change, and no app.
        long backoff = 1000;
        long backoffCap = 300_000;
        long hold = 3_600_000;
        long budget = 5000;
        long attempt = 30_000;
        long interval = 300_000;

        private static String leadingNumbers(String version) {
            int end = 0;
            while (end < version.length() && "0123456789.".indexOf(version.charAt(end)) >= 0) end++;
            return end == 0 ? "0" : version.substring(0, end);
        }

        /** The members of {@code resource} but for the installation's id. */
        private Map<String, Object> resource() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("os.name", osName);
            members.put("os.version", osVersion);
            members.put("device.model.identifier", model);
            members.put("device.manufacturer", manufacturer);
            members.put("service.version", appVersion);
            members.put("app.build_id", appBuild);
            members.put("telemetry.sdk.name", "sojourn-java");
            members.put("telemetry.sdk.version", VERSION);
            members.values().removeIf(value -> value == null || value.equals(""));
            members.replaceAll((name, value) -> EventRule.isText(value, 1, 128) ? value : "?");
            return members;
        }
    }

    /** What became of events over the installation's life; {@code next} is in milliseconds. */
    public static final class Status {
        public long appended, accepted, rejected, dropped, deleted, waiting, failures, next;
    }

    /** Something that is read or watched to its end. */
    public final class Content {
        private final String id;

        private Content(String id) {
            this.id = id;
        }

        /** It was shown. Makes {@code content.view}. */
        public void viewed() {
            record("content.view", Collections.singletonMap("content.id", id));
        }

        public void completed() {
            completed(isFirst -> { });
        }

        /**
         * It was read to its end. Makes {@code content.complete}. {@code then}, on
         * {@link Options#callbacks}: whether it is the first time, by the last 1,000 contents.
         */
        public void completed(Consumer<Boolean> then) {
            Consumer<Boolean> there = isFirst ->
                    callbacks.execute(() -> quiet(then).accept(isFirst));
            inbox.put(new Call(Call.Kind.EVENT, clock.getAsLong(), "content.complete",
                    Collections.singletonMap("content.id", id), there));
        }
    }

    /** A video, while it fills the screen. */
    public final class Video {
        private final String id;

        private Video(String id) {
            this.id = id;
        }

        public void enter() {
            record("video.enter_fullscreen", Collections.singletonMap("video.id", id));
        }

        public void exit() {
            record("video.exit_fullscreen", Collections.singletonMap("video.id", id));
        }
    }

    /** Lets a web view's page speak to the app; {@code contentID}: what it shows, or null. */
    public Bridge bridge(String contentID) {
        return new Bridge(contentID);
    }

    /** What one page may say (docs/web.md): by URLs that are never loaded, or by messages. */
    public final class Bridge {
        /** Bytes of a URL or a message. */
        private static final int MAX_LENGTH = 8192;
        /** Events at once; then one a second. */
        private static final long BURST = 50_000 * MILLISECOND;

        /** Schemes of the URLs that are the bridge's; they compare without case. */
        public List<String> schemes = Arrays.asList("mobile-event", "rb");
        private final String contentID;
        /** What is left for events, and for lines of the log: a second's worth is one. */
        private final long[] room = {BURST, BURST};
        private final long[] last = {clock.getAsLong(), clock.getAsLong()};

        private Bridge(String contentID) {
            this.contentID = contentID;
        }

        /**
         * Whether a URL is the bridge's: then it must not be loaded, whatever it says. URLs count
         * from any frame, since an iframe is how pages signal.
         */
        public boolean decide(String url, boolean isMainFrame) {
            int colon = url == null ? -1 : url.indexOf(':');
            String scheme = colon < 0 ? "" : url.substring(0, colon);
            if (colon < 0 || schemes.stream().noneMatch(scheme::equalsIgnoreCase)) return false;
            boolean isShort = EventRule.isText(url, 1, MAX_LENGTH);
            take(isShort ? BridgeCall.ofURL(url.substring(colon + 1)) : null);
            return true;
        }

        /** A message: JSON, {@code {"name": "…", "attributes": {…}}}; from the main frame alone. */
        public void message(String text, boolean isMainFrame) {
            boolean isShort = EventRule.isText(text, 1, MAX_LENGTH);
            take(isMainFrame && isShort ? BridgeCall.ofMessage(text) : null);
        }

        private void take(BridgeCall call) {
            BridgeCall event = call == null ? null : call.event(contentID);
            if (event == null) {
                if (admits(1)) log("what a page says breaks a rule, and is ignored");
            } else if (admits(0)) {
                record(event.name, event.attributes);
            } else if (admits(1)) {
                log("a page says too much, and is ignored");
            }
        }

        private synchronized boolean admits(int what) {
            long now = clock.getAsLong();
            room[what] = Math.min(BURST, room[what] + now - last[what]);
            last[what] = now;
            if (room[what] < 1000 * MILLISECOND) return false;
            room[what] -= 1000 * MILLISECOND;
            return true;
        }
    }

    /** What a page says. A page is not trusted: what breaks a rule is null. */
    private record BridgeCall(String name, Map<Object, Object> attributes) {
        private static final String NAME = "[A-Za-z0-9._-]{1,128}";

        /** Reads what follows a URL's colon: {@code NAME?k=v&…}, with or without slashes. */
        static BridgeCall ofURL(String rest) {
            String text = rest.split("#", 2)[0];
            String[] parts = (text.startsWith("//") ? text.substring(2) : text).split("\\?", 2);
            String name = parts[0].endsWith("/") ? parts[0].substring(0, parts[0].length() - 1)
                    : parts[0];
            Map<Object, Object> attributes = new LinkedHashMap<>();
            for (String pair : parts.length < 2 ? new String[0] : parts[1].split("&")) {
                if (pair.isEmpty()) continue;
                String[] halves = pair.split("=", 2);
                String key = decoded(halves[0]);
                String value = decoded(halves.length < 2 ? "" : halves[1]);
                if (key == null || value == null) return null;
                attributes.putIfAbsent(key, value);
            }
            return name.matches(NAME) ? new BridgeCall(name, attributes) : null;
        }

        /** Percent-decoded UTF-8, where a plus is a plus; null where it is not that. */
        private static String decoded(String text) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] bytes = text.getBytes(UTF_8);
            for (int at = 0; at < bytes.length; at++) {
                if (bytes[at] != '%') {
                    out.write(bytes[at]);
                    continue;
                }
                int high = at + 2 < bytes.length ? Character.digit(bytes[at + 1], 16) : -1;
                int low = at + 2 < bytes.length ? Character.digit(bytes[at + 2], 16) : -1;
                if (high < 0 || low < 0) return null;
                out.write(high << 4 | low);
                at += 2;
            }
            return Json.decoded(out.toByteArray());
        }

        static BridgeCall ofMessage(String text) {
            Map<String, Object> members = Json.members(text.getBytes(UTF_8));
            Object given = members.getOrDefault("attributes", Collections.emptyMap());
            boolean isRight = given instanceof Map
                    && members.get("name") instanceof String name && name.matches(NAME);
            if (!isRight) return null;
            Map<Object, Object> attributes = new LinkedHashMap<>((Map<?, ?>) given);
            return new BridgeCall((String) members.get("name"), attributes);
        }

        /** The event that becomes of it: one of the contract's, or {@code webview.event}. */
        BridgeCall event(String contentID) {
            Map<Object, Object> more = new LinkedHashMap<>(attributes);
            more.remove(EventRule.SESSION);
            boolean isContent = name.equals("content.view") || name.equals("content.complete")
                    || name.equals("scrolled.bottom");
            if (isContent && contentID != null) more.putIfAbsent("content.id", contentID);
            String event = name;
            if (name.equals("scrolled.bottom") && more.containsKey("content.id")) {
                event = "content.complete";
            } else if (!(name.startsWith("content.") || name.startsWith("video."))
                    || EventRule.required(name) == null) {
                event = "webview.event";
                more.put("webview.event.name", name);
            }
            boolean isRight = EventRule.broken(event, more, false) == null;
            return isRight ? new BridgeCall(event, more) : null;
        }
    }

    // ---- Calls in memory

    /** A call between the app's thread and the client's. */
    private static final class Call {
        /** OWN is an event under the app's own name, EVENT one of the contract's. */
        enum Kind { OWN, EVENT, FOREGROUND, BACKGROUND, TERMINATE, SYNC, FLUSH, ENABLE, DISABLE,
            FORGET, POSTED }

        final Kind kind;
        /** When it was made; of FLUSH when it ends. */
        final long moment;
        final String name;
        final Map<?, ?> attributes;
        private Consumer<Boolean> then;

        Call(Kind kind, long moment, String name, Map<?, ?> attributes, Consumer<Boolean> then) {
            this.kind = kind;
            this.moment = moment;
            this.name = name;
            this.attributes = attributes;
            this.then = then;
        }

        boolean isRecord() {
            return kind == Kind.OWN || kind == Kind.EVENT;
        }

        /** Whether somebody waits for it who must not wait for long. */
        boolean isBounded() {
            return kind == Kind.BACKGROUND || kind == Kind.TERMINATE || kind == Kind.FLUSH;
        }

        /** What an attempt has posted back. */
        void run() {
            then.accept(true);
        }

        /** Tells whoever waits, once. */
        void finish(boolean value) {
            Consumer<Boolean> told = then;
            then = null;
            if (told != null) quiet(told).accept(value);
        }
    }

    /** Calls between their making and the client's thread: a call costs a lock and an append. */
    private static final class Inbox {
        record Batch(ArrayDeque<Call> calls, long dropped) { }

        private static final int CAPACITY_BEFORE_START = 1000;
        private static final int CAPACITY = 10_000;
        /** How long events wait, so that many share one write. */
        private static final long PAUSE = 2 * MILLISECOND;

        private final LongSupplier clock;
        private ArrayDeque<Call> calls = new ArrayDeque<>();
        /** Those that are being written: they are in memory, too. */
        private int taken;
        private long dropped;
        private boolean isStarted;
        private boolean hasNews;
        private boolean isUrgent;

        Inbox(LongSupplier clock) {
            this.clock = clock;
        }

        void put(Call call) {
            Call refused;
            synchronized (this) {
                refused = call.isRecord() ? makeRoom(call) : null;
                if (refused != call) {
                    calls.add(call);
                    boolean isNew = !hasNews || !isUrgent && !call.isRecord();
                    hasNews = true;
                    isUrgent |= !call.isRecord();
                    if (isNew && isStarted) notify();
                }
            }
            if (refused != null) refused.finish(false);
        }

        /** The call that finds no room: before the start the oldest, then the newest; or null. */
        private Call makeRoom(Call newest) {
            int capacity = isStarted ? CAPACITY : CAPACITY_BEFORE_START;
            if (calls.size() + taken < capacity) return null;
            dropped++;
            if (isStarted) return newest;
            for (Call call : calls) {
                if (call.isRecord() && calls.removeFirstOccurrence(call)) return call;
            }
            return newest;
        }

        synchronized void start() {
            isStarted = true;
        }

        /**
         * What was called since, once something was or a moment has come. While the journal is
         * closed all stays here, and those who must not wait for long are told.
         */
        Batch take(long alarm, boolean isOpen) {
            List<Call> released = new ArrayList<>();
            try {
                synchronized (this) {
                    taken = 0;
                    while (!hasNews && await(alarm)) { }
                    hasNews = false;
                    if (isOpen) {
                        long end = clock.getAsLong() + PAUSE;
                        while (!isUrgent && !calls.isEmpty() && await(end)) { }
                        hasNews = false;
                        isUrgent = false;
                        return swap();
                    }
                    for (Call call : calls) {
                        if (call.isBounded()) released.add(call);
                    }
                    return new Batch(new ArrayDeque<>(), 0);
                }
            } finally {
                for (Call call : released) call.finish(false);
            }
        }

        /** Waits for a call until a moment; false where that has come. */
        private boolean await(long moment) {
            long rest = moment == NEVER ? Long.MAX_VALUE : moment - clock.getAsLong();
            if (rest <= 0) return false;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, Math.min(rest, 3600_000 * MILLISECOND));
            } catch (InterruptedException nobodyDoes) {
                // It looks at the clock again.
            }
            return true;
        }

        private Batch swap() {
            Batch batch = new Batch(calls, dropped);
            taken = calls.size();
            calls = new ArrayDeque<>();
            dropped = 0;
            return batch;
        }

        /** The journal has been opened: what waits here can be taken. */
        synchronized void wake() {
            hasNews = true;
        }
    }

    // ---- Events

    /** The device's clock at the start plus what one has counted since that nobody sets. */
    private record Clock(long wall, long monotonic) {
        long time(long moment) {
            return wall + Math.floorDiv(moment - monotonic, MILLISECOND);
        }
    }

    /** What a call may say (docs/protocol.md, Events). Nothing is repaired. */
    private static final class EventRule {
        static final String SESSION = "session.id";
        private static final long MAX_INTEGER = (1L << 53) - 1;
        static final int MAX_ATTRIBUTES = 31;
        private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*");
        /** The attribute that an event of the contract must have. */
        private static final Map<String, String> REQUIRED = new HashMap<>();

        static {
            for (String word : Arrays.asList("start", "resume", "end")) {
                REQUIRED.put("session." + word, SESSION);
            }
            REQUIRED.put("screen.view", "app.screen.name");
            REQUIRED.put("usage.counter", "counter.name");
            REQUIRED.put("content.view", "content.id");
            REQUIRED.put("content.complete", "content.id");
            REQUIRED.put("video.enter_fullscreen", "video.id");
            REQUIRED.put("video.exit_fullscreen", "video.id");
            REQUIRED.put("webview.event", "webview.event.name");
        }

        static String required(String name) {
            return REQUIRED.get(name);
        }

        /** The rule that is broken; null for none. */
        static String broken(String name, Map<?, ?> attributes, boolean isOwn) {
            boolean isName = name != null && name.length() <= 64 && NAME.matcher(name).matches();
            if (!isName) return "invalid-name";
            String required = REQUIRED.get(name);
            if (isOwn && required != null) return "reserved-name";
            int count = attributes.size() - (attributes.containsKey(SESSION) ? 1 : 0);
            if (count > MAX_ATTRIBUTES) return "invalid-attribute";
            for (Map.Entry<?, ?> entry : attributes.entrySet()) {
                Object value = entry.getValue();
                if (SESSION.equals(entry.getKey())) continue;
                boolean isRight = isText(entry.getKey(), 1, 64) && isValue(value)
                        && (!entry.getKey().equals(required) || isText(value, 1, 128))
                        && (!name.equals("usage.counter") || isCount(value));
                if (!isRight) return "invalid-attribute";
            }
            boolean isComplete = required == null || attributes.containsKey(required);
            return isComplete ? null : "missing-attribute";
        }

        private static boolean isCount(Object value) {
            return !(value instanceof Long number) || 1 <= number && number <= 1_000_000_000;
        }

        private static boolean isValue(Object value) {
            if (value instanceof String) return isText(value, 0, 1024);
            if (value instanceof Double || value instanceof Float) {
                return Double.isFinite(((Number) value).doubleValue());
            }
            if (value instanceof Long || value instanceof Integer || value instanceof Short
                    || value instanceof Byte) {
                long number = ((Number) value).longValue();
                return -MAX_INTEGER <= number && number <= MAX_INTEGER;
            }
            return value instanceof Boolean;
        }

        /** So many bytes of UTF-8, none of them 0; a lone surrogate has none. */
        static boolean isText(Object value, int least, int most) {
            if (!(value instanceof String text) || text.length() > most) return false;
            if (text.indexOf(0) >= 0 || !UTF_8.newEncoder().canEncode(text)) return false;
            int count = text.getBytes(UTF_8).length;
            return least <= count && count <= most;
        }
    }

    /** Which event the foreground and the background make, and whose they are. */
    private static final class Sessions {
        private final long timeout;
        private boolean isForeground;
        private String id;
        private long since;

        Sessions(long timeout) {
            this.timeout = timeout;
        }

        /** The session of what is recorded now; null in the background. */
        String current() {
            return isForeground ? id : null;
        }

        /** The latest one, also after its end. */
        String latest() {
            return id;
        }

        /** The event's name; null where nothing changes. A launch always begins another one. */
        String foreground(long moment) {
            if (isForeground) return null;
            isForeground = true;
            if (id != null && moment - since < timeout * MILLISECOND) return "session.resume";
            id = newID();
            return "session.start";
        }

        String background(long moment) {
            if (!isForeground) return null;
            isForeground = false;
            since = moment;
            return "session.end";
        }

        /** Another device: nothing goes on. */
        void forget() {
            id = isForeground ? newID() : null;
        }
    }

    private static String newID() {
        return UUID.randomUUID().toString();
    }

    // ---- The journal: files of events, and the ledger that accounts for them

    /** A line of a file, by where it lies: a checksum, a letter, a text. */
    private record Line(char kind, long drops, int start, int end) {
        static final char RESOURCE = 'H', EVENT = 'E', DROPS = 'D', LEDGER = 'L', DAMAGED = '?';
        /** Eight digits, a blank, the letter, a blank. */
        private static final int OPENING = 11;

        int size() {
            return end - start;
        }

        String text(byte[] bytes) {
            return new String(bytes, start + OPENING, size() - OPENING - 1, UTF_8);
        }

        static byte[] of(char kind, String text) {
            byte[] content = (kind + " " + text).getBytes(UTF_8);
            String line = checksum(content, 0, content.length) + " ";
            ByteBuffer out = ByteBuffer.allocate(line.length() + content.length + 1);
            out.put(line.getBytes(US_ASCII)).put(content).put((byte) '\n');
            return out.array();
        }

        /** The whole lines between two offsets; what has no end was never appended. */
        static List<Line> read(byte[] bytes, int from, int to) {
            List<Line> lines = new ArrayList<>();
            int start = from;
            for (int at = from; at < Math.min(to, bytes.length); at++) {
                if (bytes[at] != '\n') continue;
                lines.add(one(bytes, start, at));
                start = at + 1;
            }
            return lines;
        }

        private static Line one(byte[] bytes, int start, int stop) {
            Line damaged = new Line(DAMAGED, 1, start, stop + 1);
            if (stop - start < OPENING) return damaged;
            String crc = new String(bytes, start, 8, ISO_8859_1);
            if (!crc.equals(checksum(bytes, start + 9, stop))) return damaged;
            Line line = new Line((char) bytes[start + 9], 0, start, stop + 1);
            if (line.kind != DROPS) return line;
            return new Line(DROPS, decimal(line.text(bytes)), start, stop + 1);
        }

        private static String checksum(byte[] bytes, int start, int end) {
            CRC32 crc = new CRC32();
            crc.update(bytes, start, end - start);
            // Its 32 bits with another in front, so that eight digits are left without it.
            return Long.toHexString(1L << 32 | crc.getValue()).substring(1);
        }
    }

    /** 1 to 16 digits as a number; -1 for anything else. */
    private static long decimal(String text) {
        return text.matches("[0-9]{1,16}") ? Long.parseLong(text) : -1;
    }

    /** Lines that are to be appended together, with what they account for. */
    private static final class Lines {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        long events, drops;

        void add(String json) {
            byte[] line = Line.of(Line.EVENT, json);
            out.write(line, 0, line.length);
            events++;
        }

        void drop(long count) {
            byte[] line = Line.of(Line.DROPS, Long.toString(count));
            out.write(line, 0, line.length);
            drops += count;
        }

        boolean isEmpty() {
            return out.size() == 0;
        }

        int size() {
            return out.size();
        }

        byte[] bytes() {
            return out.toByteArray();
        }

        void clear() {
            out.reset();
            events = 0;
            drops = 0;
        }
    }

    /** A file of lines, which one process appends to; and what of it waits. A batch is one. */
    private static final class Segment {
        /** Bytes after which another is begun: one that is sealed whole fits into a body. */
        static final int MAX_SIZE = 56_000;

        final long number;
        int size;
        long events, drops;
        /** Bytes of the lines that wait. */
        int bytes;

        Segment(long number) {
            this.number = number;
        }

        String name() {
            String digits = "000000000000000" + number;
            return digits.substring(digits.length() - 16) + ".events";
        }

        /** The number of a file's name; -1 for one that is no segment's. */
        static long number(String name) {
            return name.matches("[0-9]{16}\\.events") ? Long.parseLong(name.substring(0, 16)) : -1;
        }

        void add(Lines lines) {
            size += lines.size();
            bytes += lines.size();
            events += lines.events;
            drops += lines.drops;
        }

        /** Counts what is in it: all lines but the first. */
        void count(byte[] content) {
            clear();
            List<Line> lines = Line.read(content, 0, content.length);
            size = lines.isEmpty() ? 0 : lines.get(lines.size() - 1).end;
            if (!lines.isEmpty()) bytes = size - lines.get(0).end;
            for (Line line : lines.subList(Math.min(1, lines.size()), lines.size())) {
                if (line.kind == Line.EVENT) events++;
                drops += line.drops;
            }
        }

        /** Counts anew before it is sent: lines that are not there any more are dropped. */
        void recount(byte[] content) {
            long known = events + drops;
            count(content);
            drops += Math.max(0, known - events - drops);
        }

        /** Nothing of it waits any more. */
        void clear() {
            events = 0;
            drops = 0;
            bytes = 0;
        }
    }

    /**
     * The batch on its way, as a part of a segment's bytes. What it says never changes.
     *
     * @param tooLarge answers in a row, up to now, that are a proxy's 413
     */
    private record Frozen(long segment, int start, int end, long events, long sequence,
            long dropped, String batchID, long tooLarge) {
        Frozen answered(long tooLarge) {
            return new Frozen(segment, start, end, events, sequence, dropped, batchID, tooLarge);
        }
    }

    /** What a 413 has undone: it waits in front, and goes in batches of {@code cap} at most. */
    private record Undone(long segment, int start, int end, long events, long cap) { }

    /**
     * A wait after a failure.
     *
     * @param until the device's clock when something may be posted again
     * @param span how long the wait was when it was set, in milliseconds
     * @param held by which app, key, token and server it was refused; 0 where it was not
     */
    private record Wait(long failures, long until, long span, long held) {
        static final Wait NONE = new Wait(0, 0, 0, 0);

        /** What is left of it. A moment further off than the wait was: the clock was set back. */
        long remaining(long now, long fingerprint) {
            long rest = until - now;
            return held != 0 && held != fingerprint || rest > span ? 0 : Math.max(0, rest);
        }
    }

    /**
     * The account: which segments wait, what became of those before, the batch on its way, the
     * wait. It is one small file that is replaced whole, so that each of these methods is one
     * atomic step. What waits is in no count: it is the lines of the segments from the head on.
     */
    private static final class Ledger implements Cloneable {
        private static final int MAX_CONTENTS = 1000;

        String installation = newID();
        long nextSequence = 1;
        long accepted, rejected, dropped, deleted;
        /** Dropped events that no batch has told of yet. */
        long unreported;
        boolean isEnabled = true;
        /** The number of the first segment that waits. */
        long head = 1;
        Frozen frozen;
        Undone undone;
        Wait wait = Wait.NONE;
        /** Fingerprints of the contents that were completed last. */
        LinkedHashSet<Object> contents = new LinkedHashSet<>();

        Ledger copy() {
            try {
                Ledger copy = (Ledger) super.clone();
                copy.contents = new LinkedHashSet<>(contents);
                return copy;
            } catch (CloneNotSupportedException never) {
                throw new IllegalStateException(never);
            }
        }

        /** Events that are on their way: outside the bound, and never dropped by it. */
        long pinnedEvents() {
            return (frozen == null ? 0 : frozen.events) + (undone == null ? 0 : undone.events);
        }

        boolean pins(long segment) {
            return frozen != null && frozen.segment == segment
                    || undone != null && undone.segment == segment;
        }

        /** Counts events that are gone. */
        void lose(long events) {
            dropped += events;
            unreported += events;
        }

        /** A whole segment becomes the batch; it may have no events, and only tell of drops. */
        void freeze(Segment segment, int start) {
            lose(segment.drops);
            head = segment.number + 1;
            begin(segment.number, start, segment.size, segment.events);
        }

        private void begin(long segment, int start, int end, long events) {
            frozen = new Frozen(segment, start, end, events, nextSequence, unreported, newID(), 0);
            nextSequence++;
            unreported = 0;
        }

        /** So many first events of what was undone become the batch. */
        void freezeUndone(int end, long events) {
            Undone rest = undone;
            boolean isLast = events == rest.events;
            begin(rest.segment, rest.start, isLast ? rest.end : end, events);
            undone = isLast ? null
                    : new Undone(rest.segment, end, rest.end, rest.events - events, rest.cap);
        }

        void loseUndone() {
            if (undone != null) lose(undone.events);
            undone = null;
        }

        /** The server has the batch. */
        void settle(long refused) {
            long part = Math.min(Math.max(refused, 0), frozen.events);
            rejected += part;
            accepted += frozen.events - part;
            frozen = null;
            wait = Wait.NONE;
        }

        /** The batch is refused for good, or cannot be read. Its sequence stays used. */
        void refuse() {
            lose(frozen.events);
            unreported += frozen.dropped;
            frozen = null;
            wait = Wait.NONE;
        }

        /** The batch is too large: its events wait again, in front. A single one is dropped. */
        void undo() {
            nextSequence = frozen.sequence;
            if (frozen.events <= 1) {
                refuse();
                return;
            }
            unreported += frozen.dropped;
            int end = undone == null ? frozen.end : undone.end;
            long events = frozen.events + (undone == null ? 0 : undone.events);
            undone = new Undone(frozen.segment, frozen.start, end, events, frozen.events / 2);
            frozen = null;
        }

        /** Deletes what waits, as the user wants it: it is counted, and told to nobody. */
        void wipe(Segment waiting, long next) {
            deleted += waiting.events + pinnedEvents();
            dropped += waiting.drops;
            unreported = 0;
            frozen = null;
            undone = null;
            head = next;
        }

        void forget() {
            installation = newID();
            nextSequence = 1;
            contents.clear();
        }

        /** Whether a content is completed for the first time; it is remembered. */
        boolean complete(String content) {
            if (!contents.add(fingerprint(content))) return false;
            if (contents.size() > MAX_CONTENTS) contents.remove(contents.iterator().next());
            return true;
        }

        byte[] bytes() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("installation", installation);
            members.put("enabled", isEnabled);
            members.put("numbers", Arrays.asList(nextSequence, accepted, rejected, dropped, deleted,
                    unreported, head));
            if (frozen != null) {
                members.put("batch", frozen.batchID);
                members.put("frozen", Arrays.asList(frozen.segment, frozen.start, frozen.end,
                        frozen.events, frozen.sequence, frozen.dropped, frozen.tooLarge));
            }
            if (undone != null) {
                members.put("undone", Arrays.asList(undone.segment, undone.start, undone.end,
                        undone.events, undone.cap));
            }
            members.put("wait", Arrays.asList(wait.failures, wait.until, wait.span, wait.held));
            members.put("contents", new ArrayList<>(contents));
            return Line.of(Line.LEDGER, Json.text(members));
        }

        /** Null where it is damaged. */
        static Ledger read(byte[] bytes) {
            List<Line> lines = Line.read(bytes, 0, bytes.length);
            if (lines.size() != 1 || lines.get(0).kind != Line.LEDGER) return null;
            Map<String, Object> members =
                    Json.members(lines.get(0).text(bytes).getBytes(UTF_8));
            Ledger ledger = new Ledger();
            ledger.installation = UUID.fromString((String) members.get("installation")).toString();
            ledger.isEnabled = (Boolean) members.get("enabled");
            long[] numbers = numbers(members.get("numbers"));
            ledger.nextSequence = numbers[0];
            ledger.accepted = numbers[1];
            ledger.rejected = numbers[2];
            ledger.dropped = numbers[3];
            ledger.deleted = numbers[4];
            ledger.unreported = numbers[5];
            ledger.head = numbers[6];
            long[] part = numbers(members.get("frozen"));
            if (part.length > 0) {
                // The last one came later.
                ledger.frozen = new Frozen(part[0], (int) part[1], (int) part[2], part[3], part[4],
                        part[5], (String) members.get("batch"), part.length > 6 ? part[6] : 0);
            }
            part = numbers(members.get("undone"));
            if (part.length > 0) {
                ledger.undone =
                        new Undone(part[0], (int) part[1], (int) part[2], part[3], part[4]);
            }
            part = numbers(members.get("wait"));
            ledger.wait = new Wait(part[0], part[1], part[2], part[3]);
            ledger.contents.addAll((List<?>) members.get("contents"));
            return ledger;
        }

        private static long[] numbers(Object list) {
            if (list == null) return new long[0];
            return ((List<?>) list).stream().mapToLong(number -> (Long) number).toArray();
        }
    }

    /** The folder: its files are touched by plain calls of the system, on the client's thread. */
    private static final class Disk {
        private final Path folder;
        private FileChannel lock;

        Disk(Path folder) {
            this.folder = folder;
        }

        /** Takes the folder for this process, whose end gives it back; false: another has it. */
        boolean claim() {
            try {
                makeFolder();
                return true;
            } catch (Busy busy) {
                return false;
            } catch (IOException notNow) {
                // The journal is opened again and again, and claims it then.
                return true;
            }
        }

        private static final class Busy extends IOException {
            private static final long serialVersionUID = 1;
        }

        /** Makes the folder if it is not there, or was deleted while the client runs. */
        void makeFolder() throws IOException {
            Path path = folder.resolve("lock");
            if (lock != null && !Files.notExists(path)) return;
            if (Files.notExists(folder)) {
                Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rwx------")));
            }
            putAside("lock");
            FileChannel file = open("lock", StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                if (file.tryLock() == null) {
                    file.close();
                    throw new Busy();
                }
            } catch (OverlappingFileLockException ours) {
                // Another client of this process; to close the file would end its lock, too.
                throw new Busy();
            }
            if (lock != null) lock.close();
            lock = file;
        }

        /** Whether a file that was there is; what cannot be reached now is not gone. */
        boolean has(String name) {
            return !Files.notExists(folder.resolve(name));
        }

        private FileChannel open(String name, OpenOption... options) throws IOException {
            return FileChannel.open(folder.resolve(name), new HashSet<>(Arrays.asList(options)),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        }

        /** The numbers of all segments, in order. */
        List<Long> numbers() throws IOException {
            List<Long> numbers = new ArrayList<>();
            try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder)) {
                for (Path path : paths) {
                    long number = Segment.number(path.getFileName().toString());
                    if (number > 0) numbers.add(number);
                }
            } catch (DirectoryIteratorException failure) {
                // A segment that is not listed would count as gone.
                throw failure.getCause();
            }
            Collections.sort(numbers);
            return numbers;
        }

        /** A file's bytes; null where there is none. A read that fails is never an empty file. */
        byte[] content(String name) throws IOException {
            try {
                Path path = folder.resolve(name);
                return Files.isDirectory(path) ? new byte[0] : Files.readAllBytes(path);
            } catch (NoSuchFileException gone) {
                return null;
            }
        }

        /** A folder that lies where a file of ours is to be is none of ours. */
        private void putAside(String name) throws IOException {
            Path path = folder.resolve(name);
            if (Files.isDirectory(path)) Files.move(path, folder.resolve(name + "-" + newID()));
        }

        /** Replaces a file whole: beside it, synced, renamed, and the folder synced. */
        void replace(String name, byte[] bytes) throws IOException {
            putAside(name + ".new");
            try (FileChannel file = open(name + ".new", StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                append(bytes, file);
                file.force(true);
            }
            putAside(name);
            Files.move(folder.resolve(name + ".new"), folder.resolve(name),
                    StandardCopyOption.ATOMIC_MOVE);
            sync("");
        }

        boolean remove(String name) {
            try {
                putAside(name);
                Files.deleteIfExists(folder.resolve(name));
                return true;
            } catch (IOException failure) {
                return false;
            }
        }

        FileChannel create(String name) throws IOException {
            return open(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
        }

        static void append(byte[] bytes, FileChannel file) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                if (file.write(buffer) == 0) throw new IOException("nothing is written");
            }
        }

        /** Puts a file on the disk, or the folder itself ({@code ""}). */
        void sync(String name) throws IOException {
            Path path = folder.resolve(name);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                file.force(true);
            }
        }
    }

    /** The segments and the ledger of an installation. */
    private static final class Journal {
        private static final String LEDGER = "ledger";

        private final Disk disk;
        /** Bytes of lines that wait and are not on their way. */
        private final int limit;
        private final String resource;
        Ledger ledger;
        /** All that the folder has, in order. */
        private final List<Segment> segments = new ArrayList<>();
        /** The segment that is appended to, and its file; null for none. */
        private Segment current;
        private FileChannel file;
        /** Segments from here on are this process's: its own clock has made their times. */
        private final long firstOwn;
        private long next;
        /** Events that could not be written; the next step counts them. */
        long unwritten;

        /** What a step does to the ledger. */
        interface Change {
            void apply(Ledger ledger);
        }

        Journal(Disk disk, int limit, String resource) throws IOException {
            this.disk = disk;
            this.limit = limit;
            this.resource = resource;
            disk.makeFolder();
            Ledger found = read(disk.content(LEDGER));
            ledger = found == null ? new Ledger() : found;
            next = ledger.head;
            for (long number : disk.numbers()) {
                Segment segment = new Segment(number);
                if (number >= ledger.head) segment.count(content(number));
                segments.add(segment);
                next = Math.max(next, number + 1);
            }
            firstOwn = next;
            if (found == null) loseAll();
            removeUsed();
        }

        private static Ledger read(byte[] bytes) {
            try {
                return bytes == null ? null : Ledger.read(bytes);
            } catch (RuntimeException damage) {
                return null;
            }
        }

        /** Without a record of what was sent, what waits may have been sent: it is dropped. */
        private void loseAll() throws IOException {
            Segment all = waiting();
            step(ledger -> {
                ledger.lose(all.events + all.drops);
                ledger.head = firstOwn;
            });
            for (Segment segment : segments) segment.clear();
        }

        /** The first line of a segment, which says of which device and app it is. */
        private static Line first(byte[] bytes) {
            int end = 0;
            while (end < bytes.length && bytes[end] != '\n') end++;
            List<Line> lines = Line.read(bytes, 0, end + 1);
            return lines.isEmpty() ? new Line(Line.DAMAGED, 1, 0, 0) : lines.get(0);
        }

        /** A segment's bytes; of one that is gone none. */
        private byte[] content(long number) throws IOException {
            byte[] bytes = disk.content(new Segment(number).name());
            return bytes == null ? new byte[0] : bytes;
        }

        /** The sum of what waits and is not on its way. */
        Segment waiting() {
            Segment sum = new Segment(0);
            for (Segment segment : segments) {
                sum.events += segment.events;
                sum.drops += segment.drops;
                sum.bytes += segment.bytes;
            }
            return sum;
        }

        boolean isPending() {
            return ledger.frozen != null || ledger.undone != null;
        }

        /** Whether there is something to tell the server. */
        boolean hasSomething() {
            return isPending() || ledger.unreported > 0 || unwritten > 0 || waiting().bytes > 0;
        }

        // Steps

        /** One atomic step: what it makes of the ledger is on the disk when this returns. */
        void step(Change change) throws IOException {
            makeUpForDeleted();
            write(change);
            removeUsed();
        }

        private void write(Change change) throws IOException {
            Ledger changed = ledger.copy();
            changed.lose(unwritten);
            change.apply(changed);
            disk.replace(LEDGER, changed.bytes());
            ledger = changed;
            unwritten = 0;
        }

        /** Makes the folder again if it was deleted, and counts what was in it. */
        void makeUpForDeleted() throws IOException {
            if (disk.has("lock") && (current == null || disk.has(current.name()))) return;
            disk.makeFolder();
            List<Long> present = disk.numbers();
            write(changed -> {
                for (Segment segment : segments) {
                    if (present.contains(segment.number)) continue;
                    changed.lose(segment.events + segment.drops);
                    boolean isFrozen = changed.frozen != null
                            && changed.frozen.segment == segment.number;
                    if (isFrozen) changed.refuse();
                    if (changed.pins(segment.number)) changed.loseUndone();
                }
            });
            segments.removeIf(segment -> !present.contains(segment.number));
            closeCurrent();
        }

        /** Removes segments with nothing left in them; false where one stays for now. */
        private boolean removeUsed() {
            segments.removeIf(segment -> isUsed(segment) && disk.remove(segment.name()));
            return segments.stream().noneMatch(this::isUsed);
        }

        private boolean isUsed(Segment segment) {
            return segment != current && segment.bytes == 0 && !ledger.pins(segment.number);
        }

        // Appending

        /** Appends lines. What cannot be written at the second try is dropped, and counted. */
        void append(Lines lines) throws IOException {
            try {
                tryAppend(lines);
            } catch (IOException once) {
                try {
                    tryAppend(lines);
                } catch (IOException twice) {
                    unwritten += lines.events + lines.drops;
                    throw twice;
                }
            }
            if (unwritten > 0) step(ledger -> { });
        }

        /** Where this throws, {@code lines} is what of them is not appended. */
        private void tryAppend(Lines lines) throws IOException {
            if (lines.isEmpty()) return;
            makeUpForDeleted();
            makeRoom(lines.size());
            openCurrent(lines.size());
            try {
                Disk.append(lines.bytes(), file);
            } catch (IOException failure) {
                undoWrite(lines);
                throw failure;
            }
            current.add(lines);
        }

        /**
         * After a write that failed nothing of it may stay, least of all a half line. Where it
         * cannot be cut off its whole lines count, and the segment is left alone.
         */
        private void undoWrite(Lines lines) {
            try {
                file.truncate(current.size);
            } catch (IOException failure) {
                Segment segment = current;
                closeCurrent();
                long before = segment.events + segment.drops;
                try {
                    segment.count(content(segment.number));
                } catch (IOException unread) {
                    // Then all of it counts as dropped, and what is there is sent all the same.
                }
                unwritten += lines.events + lines.drops - (segment.events + segment.drops - before);
                lines.clear();
            }
        }

        private void openCurrent(int count) throws IOException {
            int most = Math.min(Segment.MAX_SIZE, limit / 8);
            boolean isFull = current != null && current.bytes > 0 && current.size + count > most;
            if (current == null || isFull) beginSegment();
        }

        private void beginSegment() throws IOException {
            sync();
            closeCurrent();
            removeUsed();
            Segment segment = new Segment(next);
            next++;
            FileChannel created = disk.create(segment.name());
            try {
                byte[] line = Line.of(Line.RESOURCE, resource);
                Disk.append(line, created);
                segment.size = line.length;
            } catch (IOException failure) {
                created.close();
                disk.remove(segment.name());
                throw failure;
            }
            file = created;
            current = segment;
            segments.add(segment);
        }

        private void closeCurrent() {
            try {
                if (file != null) file.close();
            } catch (IOException unheard) {
                // Whoever freezes a batch of it syncs it first.
            }
            file = null;
            current = null;
        }

        /** Drops the oldest of what waits until so many bytes more are within the bound. */
        private void makeRoom(int count) throws IOException {
            while (waiting().bytes + count > limit && oldest() != null) lose(oldest());
        }

        private Segment oldest() {
            for (Segment segment : segments) {
                if (segment.bytes > 0) return segment;
            }
            return null;
        }

        /** Counts what waited in a segment that cannot be kept, or cannot be read. */
        private void lose(Segment segment) throws IOException {
            if (segment == current) closeCurrent();
            step(ledger -> {
                ledger.lose(segment.events + segment.drops);
                ledger.head = segment.number + 1;
            });
            segment.clear();
            removeUsed();
        }

        /** What was appended is on the disk when this returns. */
        void sync() throws IOException {
            if (file == null) return;
            file.force(true);
            disk.sync("");
        }

        // Batches

        /** Makes a batch of the oldest segment that waits: synced, then frozen. */
        void freeze() throws IOException {
            if (ledger.undone != null && freezeUndone()) return;
            // With no event waiting a count goes alone; it needs a segment for its resource.
            if (oldest() == null && ledger.unreported + unwritten == 0) return;
            if (oldest() == null) beginSegment();
            Segment segment = oldest() == null ? current : oldest();
            if (segment == current) closeCurrent();
            byte[] bytes = content(segment.number);
            Line first = first(bytes);
            if (first.kind != Line.RESOURCE) {
                lose(segment);
                return;
            }
            disk.sync(segment.name());
            segment.recount(bytes);
            step(ledger -> ledger.freeze(segment, first.end));
            segment.clear();
        }

        /** What a 413 has undone goes in parts. False where it cannot be read any more. */
        private boolean freezeUndone() throws IOException {
            Undone rest = ledger.undone;
            List<Line> events = events(content(rest.segment), rest.start, rest.end);
            boolean isWhole = events.size() == rest.events;
            int count = (int) Math.min(rest.cap, rest.events);
            step(ledger -> {
                if (isWhole) ledger.freezeUndone(events.get(count - 1).end, count);
                else ledger.loseUndone();
            });
            return isWhole;
        }

        private static List<Line> events(byte[] bytes, int start, int end) {
            List<Line> events = new ArrayList<>();
            for (Line line : Line.read(bytes, start, end)) {
                if (line.kind == Line.EVENT) events.add(line);
            }
            return events;
        }

        /** Whether the batch on its way was recorded by this process. */
        boolean isFrozenOwn() {
            return ledger.frozen.segment >= firstOwn;
        }

        /** The events of the batch on its way; null where they cannot be read any more. */
        List<String> frozenEvents() throws IOException {
            Frozen frozen = ledger.frozen;
            byte[] bytes = content(frozen.segment);
            List<String> events = new ArrayList<>();
            for (Line line : events(bytes, frozen.start, frozen.end)) events.add(line.text(bytes));
            boolean isWhole = events.size() == frozen.events && bytes.length >= frozen.end
                    && first(bytes).kind == Line.RESOURCE;
            return isWhole ? events : null;
        }

        /** The text of the batch on its way. */
        byte[] frozenText(List<String> events, long sentAt) throws IOException {
            Frozen frozen = ledger.frozen;
            byte[] bytes = content(frozen.segment);
            StringBuilder out = new StringBuilder("{\"schema\":1,\"batch_id\":\"");
            out.append(frozen.batchID).append("\",\"sent_at\":").append(sentAt);
            out.append(",\"sequence\":").append(frozen.sequence);
            out.append(",\"dropped_events\":").append(frozen.dropped);
            out.append(",\"resource\":{\"app.installation.id\":\"").append(ledger.installation);
            out.append("\",").append(first(bytes).text(bytes).substring(1));
            out.append(",\"events\":[").append(String.join(",", events)).append("]}");
            return out.toString().getBytes(UTF_8);
        }

        /** Deletes what waits, and its files: until they are gone it is not done. */
        void wipe(Change more) throws IOException {
            Segment waiting = waiting();
            step(ledger -> {
                ledger.wipe(waiting, next);
                more.apply(ledger);
            });
            for (Segment segment : segments) segment.clear();
            closeCurrent();
            if (!removeUsed()) throw new IOException("a file cannot be deleted");
        }
    }

    // ---- Sealing

    /** Compresses and seals batches as their profile wants it, anew at each attempt. */
    private static final class Sealer {
        static final int MAX_BODY = 65_535;
        private static final SecureRandom RANDOM = new SecureRandom();

        private final Key key;
        /** The server's, of jwe; null for aes128gcm. */
        private final ECPublicKey serverKey;

        Sealer(Key key) throws GeneralSecurityException {
            this.key = key;
            check(key.id.matches("[A-Za-z0-9_-]{1,32}"));
            check(key.secret != null ? key.secret.length == 32 : key.token.matches("[!-~]+"));
            serverKey = key.secret != null ? null : publicKey(key.jwk);
            // A key that cannot seal is known at the start, and the ciphers are loaded by then.
            seal(new byte[0]);
        }

        private static void check(boolean isRight) {
            if (!isRight) throw new IllegalArgumentException();
        }

        /** Header fields of a request. */
        List<String> fields() {
            return serverKey == null
                    ? Arrays.asList("Content-Type: application/json",
                            "Content-Encoding: gzip, aes128gcm")
                    : Arrays.asList("Content-Type: application/jose",
                            "Authorization: Bearer " + key.token);
        }

        byte[] seal(byte[] text) throws GeneralSecurityException {
            return serverKey == null ? contentCoding(text) : compact(text);
        }

        private static byte[] random(int count) {
            byte[] bytes = new byte[count];
            RANDOM.nextBytes(bytes);
            return bytes;
        }

        private static byte[] gcm(byte[] key, byte[] nonce, byte[] associated, byte[] plain)
                throws GeneralSecurityException {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"),
                    new GCMParameterSpec(128, nonce));
            cipher.updateAAD(associated);
            return cipher.doFinal(plain);
        }

        /** RFC 8188 in one record, over gzip. */
        private byte[] contentCoding(byte[] text) throws GeneralSecurityException {
            byte[] salt = random(16);
            byte[] prk = hmac(salt, key.secret);
            byte[] plain = compressed(text, true);
            byte[] record = Arrays.copyOf(plain, plain.length + 1);
            record[plain.length] = 2;
            byte[] sealed = gcm(expand(prk, "aes128gcm", 16), expand(prk, "nonce", 12),
                    new byte[0], record);
            byte[] id = key.id.getBytes(US_ASCII);
            ByteBuffer out = ByteBuffer.allocate(21 + id.length + sealed.length);
            out.put(salt).putInt(Math.max(18, sealed.length)).put((byte) id.length).put(id);
            return out.put(sealed).array();
        }

        /** One block of HKDF (RFC 5869). */
        private static byte[] expand(byte[] prk, String what, int count)
                throws GeneralSecurityException {
            String info = "Content-Encoding: " + what + "\0\1";
            return Arrays.copyOf(hmac(prk, info.getBytes(US_ASCII)), count);
        }

        private static byte[] hmac(byte[] key, byte[] text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text);
        }

        private static byte[] compressed(byte[] text, boolean isGzip) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Deflater raw = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
            try (OutputStream packing = isGzip ? new GZIPOutputStream(out)
                    : new DeflaterOutputStream(out, raw)) {
                packing.write(text);
            } catch (IOException never) {
                throw new IllegalStateException(never);
            } finally {
                raw.end();
            }
            return out.toByteArray();
        }

        /** RFC 7516: ECDH-ES directly, A128GCM, deflated. */
        private byte[] compact(byte[] text) throws GeneralSecurityException {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair ephemeral = generator.generateKeyPair();
            KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
            agreement.init(ephemeral.getPrivate());
            agreement.doPhase(serverKey, true);
            byte[] contentKey = concatKDF(agreement.generateSecret());
            ECPoint point = ((ECPublicKey) ephemeral.getPublic()).getW();
            String header = base64url(("{\"alg\":\"ECDH-ES\",\"enc\":\"A128GCM\",\"kid\":\""
                    + key.id + "\",\"zip\":\"DEF\",\"epk\":{\"kty\":\"EC\","
                    + "\"crv\":\"P-256\",\"x\":\""
                    + coordinate(point.getAffineX()) + "\",\"y\":\""
                    + coordinate(point.getAffineY()) + "\"}}").getBytes(US_ASCII));
            byte[] nonce = random(12);
            byte[] sealed = gcm(contentKey, nonce, header.getBytes(US_ASCII),
                    compressed(text, false));
            int end = sealed.length - 16;
            return String.join(".", header, "", base64url(nonce),
                    base64url(Arrays.copyOf(sealed, end)),
                    base64url(Arrays.copyOfRange(sealed, end, sealed.length)))
                    .getBytes(US_ASCII);
        }

        /** One round of Concat KDF (RFC 7518 §4.6.2) for a key of 128 bits. */
        private static byte[] concatKDF(byte[] shared) throws GeneralSecurityException {
            ByteBuffer round = ByteBuffer.allocate(4 + shared.length + 4 + 7 + 12);
            round.putInt(1).put(shared);
            round.putInt(7).put("A128GCM".getBytes(US_ASCII));
            round.putInt(0).putInt(0).putInt(128);
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(round.array()), 16);
        }

        private static String base64url(byte[] bytes) {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        }

        /** 32 bytes, whatever a BigInteger makes of a sign and of leading zeros. */
        private static String coordinate(BigInteger value) {
            byte[] bytes = value.toByteArray();
            byte[] all = new byte[32];
            int count = Math.min(32, bytes.length);
            System.arraycopy(bytes, bytes.length - count, all, 32 - count, count);
            return base64url(all);
        }

        /** The point of a public key of P-256 (RFC 7518 §6.2.1). */
        private static ECPublicKey publicKey(String jwk) throws GeneralSecurityException {
            Map<String, Object> members = Json.members(jwk.getBytes(UTF_8));
            check("EC".equals(members.get("kty")) && "P-256".equals(members.get("crv")));
            AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
            curve.init(new ECGenParameterSpec("secp256r1"));
            ECPoint point = new ECPoint(number(members.get("x")), number(members.get("y")));
            return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(
                    new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class)));
        }

        private static BigInteger number(Object member) {
            byte[] bytes = Base64.getUrlDecoder().decode(String.valueOf(member));
            check(bytes.length == 32);
            return new BigInteger(1, bytes);
        }
    }

    // ---- Posting

    /** What came of an attempt: an answer, or why there is none (null where there is one). */
    private record Reply(String failure, int status, Map<String, String> fields, byte[] body) {
        static final int MAX_LENGTH = 65_536;
        private static final int MAX_TARGET = 120;
        /** Scheme, host and port, path, and the rest; without a user's name and password. */
        private static final Pattern TARGET = Pattern.compile("(?is)"
                + "(?:((?:https?:)?//)(?:[^/\\\\?#]*@)?+([-a-z0-9._:\\[\\]]+)|(?=/(?!/)))"
                + "((?:/[-a-z0-9/~%._]*)?)(.*)");

        static Reply failed(String reason) {
            return new Reply(reason, 0, Collections.emptyMap(), new byte[0]);
        }

        String mediaType() {
            String type = fields.getOrDefault("content-type", "");
            return type.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        }

        /** Where a redirect leads: whoever answers has chosen it, so that no more is shown. */
        String target() {
            Matcher target = TARGET.matcher(fields.getOrDefault("location", ""));
            if (!target.matches()) return "what is no address";
            StringBuilder shown = new StringBuilder();
            for (int part = 1; part <= 3; part++) {
                if (target.group(part) != null) shown.append(target.group(part));
            }
            boolean isWhole = shown.length() <= MAX_TARGET && target.group(4).isEmpty();
            shown.setLength(Math.min(shown.length(), MAX_TARGET));
            return shown + (isWhole ? "" : "\u2026");
        }

        /** What Retry-After says, in milliseconds; -1 where it is absent, malformed or past. */
        long asked(long now) {
            String field = fields.getOrDefault("retry-after", "");
            if (field.isEmpty()) return -1;
            long wait;
            if (field.matches("[0-9]+")) {
                // What has too many digits is long, too.
                wait = field.length() > 9 ? Backoff.MAX_ASKED : 1000 * decimal(field);
            } else {
                long moment = date(field);
                long base = date(fields.getOrDefault("date", ""));
                wait = moment < 0 ? -1 : moment - (base < 0 ? now : base);
            }
            return wait > 0 ? Math.min(wait, Backoff.MAX_ASKED) : -1;
        }

        /** {@code Sun, 06 Nov 1994 08:49:37 GMT}; the day of the week is nobody's business. */
        private static long date(String text) {
            if (!text.matches("[A-Za-z]{3}, .+")) return -1;
            try {
                // Made when it is needed, which is seldom: it is dear.
                DateTimeFormatter form =
                        DateTimeFormatter.ofPattern("dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);
                return 1000 * LocalDateTime.parse(text.substring(5), form)
                        .toEpochSecond(ZoneOffset.UTC);
            } catch (DateTimeException malformed) {
                return -1;
            }
        }
    }

    /**
     * Posts bodies over a socket of its own, so that an attempt can be called off at any moment.
     * Nothing is followed, kept or cached, and a proxy of the system is not asked.
     */
    private static final class Poster {
        /** Milliseconds that an address has before the next is tried, too. */
        private static final long HEAD_START = 2000;

        private final URI address;
        private final String head;
        private final int timeout;

        /** What came of connecting to an address: a socket, or why it is of no use. */
        private record Connection(Socket socket, Exception failure) { }

        Poster(String server, String app, List<String> fields, Options options) {
            String base = server.replaceAll("/+$", "");
            address = URI.create(base + "/v1/apps/" + app + "/batches"
                    + (options.debug ? "?dry_run=1" : ""));
            boolean isHTTP = Arrays.asList("http", "https").contains(address.getScheme());
            if (!isHTTP || address.getHost() == null || address.getRawUserInfo() != null
                    || !app.matches("[A-Za-z0-9_-]{1,32}")) {
                throw new IllegalArgumentException();
            }
            String target = address.getRawPath()
                    + (address.getRawQuery() == null ? "" : "?" + address.getRawQuery());
            head = "POST " + target + " HTTP/1.1\r\nHost: " + address.getRawAuthority()
                    + "\r\nUser-Agent: sojourn-java/" + VERSION + "\r\nConnection: close\r\n"
                    + String.join("\r\n", fields) + "\r\nContent-Length: ";
            // The machine gives an attempt up first.
            timeout = (int) Math.min(options.attempt + 1000, 600_000);
        }

        /** {@code finish} is told once, from another thread. */
        Attempt post(byte[] body, Consumer<Reply> finish) {
            Attempt attempt = new Attempt(body, finish);
            try {
                begin(attempt);
            } catch (OutOfMemoryError none) {
                attempt.finish(Reply.failed("no thread"));
            }
            return attempt;
        }

        private static void begin(Runnable task) {
            Thread thread = new Thread(task, "sojourn-post");
            thread.setDaemon(true);
            thread.start();
        }

        /** A request on a thread of its own. */
        private final class Attempt implements Runnable {
            private final byte[] body;
            private final Consumer<Reply> finish;
            private final AtomicBoolean isFinished = new AtomicBoolean();
            /** Those that connect, or are connected. */
            private final List<Socket> sockets = new ArrayList<>();
            private boolean isCancelled;

            Attempt(byte[] body, Consumer<Reply> finish) {
                this.body = body;
                this.finish = finish;
            }

            /** With a connection it is over when that is closed; before there is one, at once. */
            synchronized void cancel() {
                isCancelled = true;
                if (sockets.isEmpty()) finish(Reply.failed("cancelled"));
                closeAllBut(null);
            }

            private void finish(Reply reply) {
                if (isFinished.compareAndSet(false, true)) finish.accept(reply);
            }

            @Override public void run() {
                Reply reply;
                try {
                    boolean isTLS = address.getScheme().equals("https");
                    int port = address.getPort() >= 0 ? address.getPort() : isTLS ? 443 : 80;
                    Socket plain = connected(address.getHost(), port);
                    closeAllBut(plain);
                    plain.setSoTimeout(timeout);
                    reply = exchange(isTLS ? secured(plain, address.getHost(), port) : plain);
                } catch (Exception | Error failure) {
                    reply = Reply.failed("no answer (" + failure.getClass().getSimpleName() + ")");
                }
                closeAllBut(null);
                finish(reply);
            }

            /**
             * The first connection to one of the host's addresses. The next is tried beside those
             * before it when one has refused, or has not connected for some time.
             */
            private Socket connected(String host, int port) throws Exception {
                InetAddress[] addresses = InetAddress.getAllByName(host);
                BlockingQueue<Connection> ends = new LinkedBlockingQueue<>();
                Exception last = new IOException("no address");
                int begun = 0;
                for (int failed = 0; failed < addresses.length; ) {
                    if (begun < addresses.length) {
                        connect(new InetSocketAddress(addresses[begun], port), ends);
                        begun++;
                    }
                    Connection end = begun < addresses.length
                            ? ends.poll(HEAD_START, TimeUnit.MILLISECONDS) : ends.take();
                    if (end == null) continue;
                    if (end.failure == null) return end.socket;
                    last = end.failure;
                    failed++;
                }
                throw last;
            }

            /** Begins to connect, on a thread that ends with the socket. */
            private void connect(InetSocketAddress to, BlockingQueue<Connection> ends)
                    throws IOException {
                Socket socket = opened();
                begin(() -> {
                    Exception failure = null;
                    try {
                        socket.connect(to, timeout);
                    } catch (IOException | RuntimeException refused) {
                        failure = refused;
                    }
                    ends.add(new Connection(socket, failure));
                });
            }

            private synchronized Socket opened() throws IOException {
                if (isCancelled) throw new IOException("cancelled");
                Socket socket = new Socket();
                sockets.add(socket);
                // From here on it has what can be closed: one that connects without it stays open.
                socket.setTcpNoDelay(true);
                return socket;
            }

            private synchronized void closeAllBut(Socket used) {
                for (Socket socket : sockets) {
                    if (socket != used) close(socket);
                }
            }

            /** TLS as the system checks it; the host's name is only checked if one asks for it. */
            private Socket secured(Socket plain, String host, int port) throws IOException {
                SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
                SSLSocket secure = (SSLSocket) factory.createSocket(plain, host, port, true);
                SSLParameters parameters = secure.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secure.setSSLParameters(parameters);
                secure.startHandshake();
                return secure;
            }

            private Reply exchange(Socket connection) throws IOException {
                ByteArrayOutputStream request = new ByteArrayOutputStream();
                request.write((head + body.length + "\r\n\r\n").getBytes(US_ASCII));
                request.write(body);
                OutputStream out = connection.getOutputStream();
                out.write(request.toByteArray());
                out.flush();
                return new AnswerReader(connection.getInputStream()).read();
            }

            private void close(Socket socket) {
                try {
                    socket.close();
                } catch (IOException unheard) {
                    // It is not used again.
                }
            }
        }
    }

    /** Reads an answer (RFC 9112): 64 KiB of lines at most, and 64 KiB of body. */
    private static final class AnswerReader {
        private final InputStream in;
        private int lineLength;

        AnswerReader(InputStream in) {
            this.in = new BufferedInputStream(in);
        }

        Reply read() throws IOException {
            int status;
            Map<String, String> fields;
            do {
                String line = line();
                check(line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?"));
                status = Integer.parseInt(line.substring(9, 12));
                fields = fields();
            } while (status < 200);
            boolean isBare = status == 204 || status == 304;
            return new Reply(null, status, fields, isBare ? new byte[0] : body(fields));
        }

        private static void check(boolean isRight) throws IOException {
            if (!isRight) throw new IOException("not an answer");
        }

        private Map<String, String> fields() throws IOException {
            Map<String, String> fields = new HashMap<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                int colon = line.indexOf(':');
                if (colon < 0) continue;
                // A field that comes again is a list.
                fields.merge(line.substring(0, colon).trim().toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).trim(), (one, two) -> one + ", " + two);
            }
            return fields;
        }

        private byte[] body(Map<String, String> fields) throws IOException {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            String coding = fields.get("transfer-encoding");
            String length = fields.get("content-length");
            if (coding != null) {
                check(coding.equalsIgnoreCase("chunked"));
                readChunks(body);
            } else if (length != null) {
                long count = decimal(length);
                check(count >= 0);
                read(count, body);
            } else {
                for (int next = in.read(); next >= 0; next = in.read()) add(next, body);
            }
            return body.toByteArray();
        }

        private void readChunks(ByteArrayOutputStream body) throws IOException {
            while (true) {
                String size = line().split(";", 2)[0].trim();
                check(size.matches("[0-9A-Fa-f]{1,8}"));
                long count = Long.parseLong(size, 16);
                if (count == 0) break;
                read(count, body);
                check(line().isEmpty());
            }
            while (!line().isEmpty()) { }
        }

        private void read(long count, ByteArrayOutputStream body) throws IOException {
            for (long rest = count; rest > 0; rest--) add(next(), body);
        }

        private static void add(int octet, ByteArrayOutputStream body) throws IOException {
            check(body.size() < Reply.MAX_LENGTH);
            body.write(octet);
        }

        private int next() throws IOException {
            int next = in.read();
            check(next >= 0);
            return next;
        }

        /** A line without its end. */
        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = next(); next != '\n'; next = next()) {
                check(++lineLength <= Reply.MAX_LENGTH);
                line.append((char) next);
            }
            int end = line.length();
            return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
        }
    }

    // ---- Answers

    /** What an answer means: networks answer for servers that they hide. */
    private record Answer(Kind kind, String reason, Map<String, Object> members) {
        /** TOO_LARGE is a proxy's word. */
        enum Kind { STORED, DROP, SPLIT, SPLIT_FIRST, TOO_LARGE, HOLD, RETRY }

        /** Kinds by status and code: anything else is not our server's word. */
        private static final Map<String, Kind> CODES = new HashMap<>();
        private static final Set<String> NAMES = new HashSet<>();

        static {
            put(Kind.DROP, "400 undecodable", "400 malformed-json", "415 unsupported-media-type",
                    "415 unsupported-encoding", "422 unsupported-schema", "422 invalid-batch",
                    "422 invalid-resource", "422 invalid-device-id");
            put(Kind.HOLD, "400 bad-request", "401 unauthorized", "401 unknown-key",
                    "403 revoked-key", "403 forbidden", "403 plain-not-allowed", "404 unknown-app",
                    "404 not-found", "405 method-not-allowed", "414 uri-too-long",
                    "417 expectation-failed", "431 header-too-large", "501 not-implemented",
                    "505 version-not-supported");
            put(Kind.SPLIT, "413 body-too-large", "413 inflated-too-large", "413 too-many-events",
                    "413 too-many-elements");
            put(Kind.SPLIT_FIRST, "408 request-timeout");
            put(Kind.RETRY, "429 rate-limited", "500 internal-error", "503 overloaded",
                    "503 shutting-down", "503 clock-unset", "507 storage-full");
        }

        private static void put(Kind kind, String... codes) {
            for (String code : codes) {
                CODES.put(code, kind);
                NAMES.add(code.substring(4));
            }
        }

        static Answer judge(Reply reply, String batchID, boolean isDryRun) {
            Map<String, Object> members = Json.members(reply.body);
            String status = "status " + reply.status;
            String code = reply.mediaType().equals("application/problem+json")
                    ? String.valueOf(members.get("code")) : "";
            Kind kind = CODES.get(reply.status + " " + code);
            boolean isReceipt = reply.status == 200
                    && reply.mediaType().equals("application/json")
                    && batchID.equals(members.get("batch_id"))
                    && members.get("accepted") instanceof Long
                    && members.get("rejected") instanceof Long
                    && (isDryRun || !Boolean.TRUE.equals(members.get("dry_run")));
            if (isReceipt) return new Answer(Kind.STORED, "", members);
            if (kind != null) {
                String reason = status + ", " + code + ": " + members.get("detail");
                return new Answer(kind, reason, members);
            }
            if (reply.status == 413 && !NAMES.contains(code)) {
                String reason = " without a code: a proxy on the way lets too little through";
                return new Answer(Kind.TOO_LARGE, status + reason, members);
            }
            boolean isRedirect = reply.status / 100 == 3 && reply.fields.containsKey("location");
            String reason = isRedirect
                    ? ", a redirect to " + reply.target() + ", which is not followed"
                    : ", not the word of a sojourn server";
            return new Answer(Kind.RETRY, status + reason, members);
        }

        /** What the server says of one event: a code and a detail, or that it is accepted. */
        String verdict(long index) {
            Object rejections = members.getOrDefault("rejections", Collections.emptyList());
            for (Object one : rejections instanceof List<?> list ? list : Collections.emptyList()) {
                if (one instanceof Map<?, ?> rejection
                        && Long.valueOf(index).equals(rejection.get("index"))) {
                    return rejection.get("code") + " " + rejection.get("detail");
                }
            }
            return "accepted";
        }
    }

    /** How long nothing is posted after a failure; milliseconds. */
    private static final class Backoff {
        static final long MAX_ASKED = 86_400_000;

        /** {@code asked}: what Retry-After says, -1 for nothing. */
        static long wait(Options options, long failures, boolean isHold, long asked) {
            double draw = Sealer.RANDOM.nextDouble();
            int doublings = (int) Math.min(failures - 1, 20);
            long most = Math.min(options.backoff << doublings, options.backoffCap);
            long own = isHold ? stretched(options.hold, draw) : most - (long) (most / 2.0 * draw);
            long least = isHold ? options.hold : own;
            return asked > least ? stretched(asked, draw) : own;
        }

        /** Up to a quarter more, so that those who failed together do not return together. */
        static long stretched(long wait, double draw) {
            return wait + (long) (wait / 4.0 * draw);
        }
    }

    // ---- Putting it together

    /**
     * What calls, answers and the clock make of sessions, the journal and uploads. It is called by
     * the client's thread alone, for what was called and at the moment that alarm() names.
     */
    private final class Machine {
        /** In debug builds verdicts are wanted soon; milliseconds. */
        private static final long DEBUG_INTERVAL = 1000;
        /** Bytes that wait, from which on they are uploaded in the foreground. */
        private static final int THRESHOLD = 32_768;
        /** A proxy's 413 in a row, with which a batch that may be stored is split. */
        private static final int MAX_TOO_LARGE = 3;

        /** A time in which uploads may run, and who waits for its end: null for the start's own. */
        private record Window(long deadline, Call call) { }

        /** An upload that runs; given up, until its connection is closed. */
        private static final class Upload {
            final int number;
            final boolean isFirst;
            long end;
            boolean isGivenUp;
            Poster.Attempt attempt;

            Upload(int number, boolean isFirst, long end) {
                this.number = number;
                this.isFirst = isFirst;
                this.end = end;
            }
        }

        private final Options options;
        private final Disk disk;
        private final Sealer sealer;
        private final Poster poster;
        private final Clock origin;
        private final long fingerprint;
        private final Sessions sessions;
        private Journal journal;
        private Lines pending = new Lines();
        /** False from the moment at which the user switches off, whatever the disk says. */
        private boolean isRecording;
        /** What the user has asked for and the disk has not taken yet. */
        private final ArrayDeque<Call.Kind> wishes = new ArrayDeque<>();

        private boolean isForeground;
        /** Whether what waits is to go now. */
        private boolean isWanted;
        /** Whether more waits behind the batch on its way. */
        private boolean hasMore;
        /** A count was refused that went alone: it goes with the next events. */
        private boolean isCountHeld;
        private final List<Window> windows = new ArrayList<>();
        private Upload upload;
        private int uploads;
        /** The batch that was frozen for its first attempt. */
        private String fresh;
        /** When the oldest event that waits was appended. */
        private long oldest = NEVER;
        /** Nothing is posted before: the server's wait, and the disk's. */
        private long next;
        private long stalled;
        /** The journal's, as {@code next} has it. */
        private Wait wait = Wait.NONE;
        /** When to look again. */
        private long wake;

        Machine(Options options, Disk disk, Sealer sealer, Poster poster, Clock origin,
                long fingerprint) {
            this.options = options;
            this.disk = disk;
            this.sealer = sealer;
            this.poster = poster;
            this.origin = origin;
            this.fingerprint = fingerprint;
            sessions = new Sessions(options.sessionTimeout);
            wake = now();
            next = wake;
            stalled = wake;
        }

        private long now() {
            return clock.getAsLong();
        }

        private long in(long milliseconds) {
            return now() + milliseconds * MILLISECOND;
        }

        /** Not the failure's own text, which has the folder's path. */
        private void logFailure(String what, Exception failure) {
            log(what + ": " + failure.getClass().getSimpleName());
        }

        boolean isOpen() {
            return journal != null;
        }

        long alarm() {
            long moment = upload == null ? wake : Math.min(wake, upload.end);
            for (Window window : windows) moment = Math.min(moment, window.deadline);
            return moment;
        }

        /** Does what is due by the clock, and begins an upload if one is due. */
        void tick() {
            if (journal == null && wake <= now()) open();
            if (journal == null) return;
            expireWindows();
            if (upload != null && upload.end <= now()) {
                if (upload.isGivenUp) upload = null;
                else giveUp("no answer in time");
            }
            considerUpload();
        }

        /** Reads the journal. A call of the system may fail once; a disk is tried again later. */
        private void open() {
            for (int left = 2; journal == null && left >= 0; left--) {
                try {
                    String resource = Json.text(options.resource());
                    journal = new Journal(disk, options.journalLimit, resource);
                    if (journal.ledger.frozen != null) frozenEvents();
                } catch (IOException failure) {
                    if (left == 0) logFailure("the journal cannot be opened", failure);
                }
            }
            wake = in(1000);
            if (journal == null) return;
            followWait();
            isRecording = journal.ledger.isEnabled;
            if (!isRecording) isEnabled = false;
            inbox.wake();
            if (!journal.hasSomething()) return;
            // What waits from before goes, also in the background; a wait takes nothing of the time.
            isWanted = true;
            windows.add(new Window(Math.max(now(), next) + options.budget * MILLISECOND, null));
        }

        /** Takes over the wait that the journal has. The end of a batch ends it, too. */
        private void followWait() {
            if (wait.equals(journal.ledger.wait)) return;
            wait = journal.ledger.wait;
            next = in(wait.remaining(System.currentTimeMillis(), fingerprint));
        }

        Status status() {
            Status status = new Status();
            Segment waiting = journal.waiting();
            Ledger ledger = journal.ledger;
            status.accepted = ledger.accepted;
            status.rejected = ledger.rejected;
            status.dropped = ledger.dropped + waiting.drops + journal.unwritten;
            status.deleted = ledger.deleted;
            status.waiting = waiting.events + ledger.pinnedEvents();
            status.appended = status.accepted + status.rejected + status.dropped + status.deleted
                    + status.waiting;
            status.failures = ledger.wait.failures;
            status.next = Math.max(0, next - now()) / MILLISECOND;
            return status;
        }

        // Calls

        /** Takes what was called, in its order. */
        void take(Inbox.Batch batch) {
            if (batch.dropped > 0 && isRecording) pending.drop(batch.dropped);
            for (Call call : batch.calls) {
                try {
                    take(call);
                } catch (RuntimeException failure) {
                    logFailure("a call failed", failure);
                }
            }
            append();
        }

        private void take(Call call) {
            switch (call.kind) {
                case OWN, EVENT -> record(call);
                case FOREGROUND -> {
                    isWanted |= journal.hasSomething() || !pending.isEmpty();
                    isForeground = true;
                    change(sessions.foreground(call.moment), call);
                }
                case BACKGROUND -> {
                    endSession(call);
                    isForeground = false;
                    open(call.moment + options.budget * MILLISECOND, call);
                }
                case TERMINATE -> {
                    endSession(call);
                    call.finish(true);
                }
                case FLUSH -> open(call.moment, call);
                case SYNC -> {
                    append();
                    call.finish(true);
                }
                case ENABLE, DISABLE, FORGET -> {
                    append();
                    wish(call.kind);
                    call.finish(true);
                }
                case POSTED -> call.run();
            }
        }

        /**
         * Whoever asks now says how long; a start's own window is over. An attempt that runs is
         * given up a little before, so that its failure is noted within the time.
         */
        private void open(long deadline, Call call) {
            windows.removeIf(old -> old.call == null);
            long margin = Math.min(Math.max(0, deadline - now()) / 10, 100 * MILLISECOND);
            windows.add(new Window(deadline - margin, call));
        }

        private void change(String name, Call call) {
            if (name == null || !isRecording) return;
            add(name, Collections.emptyMap(), call.moment, sessions.latest());
        }

        private void endSession(Call call) {
            change(sessions.background(call.moment), call);
            append();
            try {
                journal.sync();
            } catch (IOException failure) {
                logFailure("the journal cannot be synced", failure);
            }
        }

        private void record(Call call) {
            boolean isCompletion = call.name != null && call.name.equals("content.complete")
                    && call.kind == Call.Kind.EVENT;
            String rule = EventRule.broken(call.name, call.attributes, call.kind == Call.Kind.OWN);
            if (!isRecording) {
                call.finish(false);
            } else if (rule != null) {
                boolean isNamed = !rule.equals("invalid-name");
                log("a call " + (isNamed ? "of " + call.name + " " : "") + "is refused: " + rule);
                pending.drop(1);
                call.finish(false);
            } else {
                add(call.name, call.attributes, call.moment, sessions.current());
                if (isCompletion) complete(call);
            }
        }

        /** Notes a content as completed, after its event: the app hears when both are written. */
        private void complete(Call call) {
            append();
            String content = (String) call.attributes.get("content.id");
            boolean isFirst = journal.ledger.complete(content);
            if (isFirst) {
                try {
                    journal.step(ledger -> { });
                } catch (IOException failure) {
                    logFailure("a completed content cannot be noted", failure);
                }
            }
            call.finish(isFirst);
        }

        private void add(String name, Map<?, ?> attributes, long moment, String session) {
            pending.add(Json.event(name, origin.time(moment), attributes, session));
            if (pending.size() >= Math.min(16_384, options.journalLimit / 8)) append();
        }

        private void append() {
            if (pending.isEmpty()) return;
            Lines lines = pending;
            pending = new Lines();
            try {
                journal.append(lines);
            } catch (IOException failure) {
                logFailure("events could not be written", failure);
            }
            oldest = Math.min(oldest, now());
            isCountHeld = false;
        }

        /** Does what the user asks for. Where the disk fails nothing is posted until it is done. */
        private void wish(Call.Kind wish) {
            if (wish != Call.Kind.ENABLE) abandonUploads();
            if (wish == Call.Kind.FORGET) {
                sessions.forget();
            } else {
                isRecording = wish == Call.Kind.ENABLE;
                isEnabled = isRecording;
            }
            wishes.add(wish);
            for (int left = 3; left > 0 && !fulfilWishes(); left--) { }
        }

        private boolean fulfilWishes() {
            for (Call.Kind wish = wishes.peek(); wish != null; wish = wishes.peek()) {
                try {
                    switch (wish) {
                        case ENABLE -> journal.step(ledger -> ledger.isEnabled = true);
                        case DISABLE -> journal.wipe(ledger -> ledger.isEnabled = false);
                        default -> journal.wipe(Ledger::forget);
                    }
                } catch (IOException failure) {
                    logFailure("a wish of the user cannot be noted", failure);
                    return false;
                }
                wishes.remove();
            }
            return true;
        }

        // When an upload is due, and how long it may last

        private void expireWindows() {
            for (Window window : new ArrayList<>(windows)) {
                if (window.deadline > now()) continue;
                windows.remove(window);
                boolean isOver = windows.isEmpty() && (window.call != null || !isForeground);
                if (isOver && upload != null && !upload.isGivenUp) {
                    giveUp("the time for it is over");
                }
                finish(window);
            }
        }

        /** Those whose time is over before something may happen need not wait for it. */
        private void finishWindows(long before) {
            for (Window window : new ArrayList<>(windows)) {
                if (window.deadline <= before && windows.remove(window)) finish(window);
            }
        }

        private void finish(Window window) {
            if (window.call != null) window.call.finish(!journal.hasSomething());
        }

        private void giveUp(String reason) {
            cancel();
            fail(reason, -1, false, 0);
        }

        private void abandonUploads() {
            if (upload != null && !upload.isGivenUp) cancel();
            fresh = null;
            isWanted = false;
            hasMore = false;
            oldest = NEVER;
        }

        /** Another attempt may begin when the connection is closed, or an attempt's time later. */
        private void cancel() {
            upload.isGivenUp = true;
            upload.end = in(options.attempt);
            upload.attempt.cancel();
        }

        /** Begins an attempt if one is due and may be; otherwise comes back when it is. */
        private void considerUpload() {
            wake = NEVER;
            if (upload != null) {
                // Nothing more can come of it for those who cannot wait for the next.
                if (upload.isGivenUp) finishWindows(next);
                return;
            }
            if (stalled <= now() && !fulfilWishes()) stalled = in(1000);
            if (stalled > now()) {
                sleepUntil(stalled);
                return;
            }
            if (!journal.hasSomething() || !journal.ledger.isEnabled) {
                isWanted = false;
                finishWindows(NEVER);
                return;
            }
            boolean isAllowed = isForeground || !windows.isEmpty() || options.debug;
            if (!isAllowed || !isDue()) return;
            followWait();
            if (isCountHeld && !journal.isPending() && journal.waiting().events == 0) {
                finishWindows(NEVER);
            } else if (next > now()) {
                sleepUntil(next);
            } else {
                attempt();
            }
        }

        private void sleepUntil(long moment) {
            finishWindows(moment);
            wake = moment;
        }

        private boolean isDue() {
            long interval = options.debug ? DEBUG_INTERVAL : options.interval;
            long ripe = Math.min(oldest, now()) + interval * MILLISECOND;
            boolean isAsked = windows.stream().anyMatch(window -> window.call != null);
            if (isAsked || isWanted || journal.isPending() || ripe <= now()
                    || journal.waiting().bytes >= THRESHOLD) {
                return true;
            }
            wake = ripe;
            return false;
        }

        private void attempt() {
            try {
                byte[] body = prepare();
                if (body == null) {
                    wake = now();
                    return;
                }
                boolean isFirst = journal.ledger.frozen.batchID.equals(fresh);
                fresh = null;
                int number = ++uploads;
                upload = new Upload(number, isFirst, in(options.attempt));
                upload.attempt = poster.post(body, reply -> inbox.put(new Call(
                        Call.Kind.POSTED, 0, null, null, ignored -> posted(number, reply))));
            } catch (IOException | GeneralSecurityException failure) {
                // Something of our own is in the way.
                logFailure("nothing can be uploaded", failure);
                stalled = in(200);
                sleepUntil(stalled);
            }
        }

        /** The body of the batch on its way, which is frozen if none is; null: look again. */
        private byte[] prepare() throws IOException, GeneralSecurityException {
            journal.makeUpForDeleted();
            if (journal.ledger.frozen == null) {
                journal.freeze();
                if (journal.ledger.frozen == null) return null;
                fresh = journal.ledger.frozen.batchID;
                oldest = NEVER;
            }
            hasMore = journal.waiting().events > 0 || journal.ledger.undone != null;
            List<String> events = frozenEvents();
            if (events == null) return null;
            long sentAt = journal.isFrozenOwn() ? origin.time(now()) : System.currentTimeMillis();
            byte[] body = sealer.seal(journal.frozenText(events, sentAt));
            if (body.length <= Sealer.MAX_BODY) return body;
            // Text that hardly compresses, under jwe: it was never sent, and goes in halves.
            journal.step(Ledger::undo);
            return null;
        }

        /** The events of the batch on its way; one that cannot be read any more is dropped. */
        private List<String> frozenEvents() throws IOException {
            List<String> events = journal.frozenEvents();
            if (events == null) {
                log("a batch cannot be read any more: its events are dropped");
                journal.step(Ledger::refuse);
            }
            return events;
        }

        // What an answer does

        /** Takes what came of an attempt; one that is no longer waited for is ignored. */
        private void posted(int number, Reply reply) {
            Upload over = upload;
            if (over == null || over.number != number) return;
            upload = null;
            if (over.isGivenUp) return;
            if (reply.failure == null) {
                answered(over, reply);
            } else {
                fail(reply.failure, -1, false, 0);
            }
        }

        private void answered(Upload over, Reply reply) {
            Frozen frozen = journal.ledger.frozen;
            if (frozen == null) return;
            long asked = reply.asked(System.currentTimeMillis());
            Answer answer = Answer.judge(reply, frozen.batchID, options.debug);
            boolean isTooLarge = answer.kind == Answer.Kind.TOO_LARGE;
            long tooLarge = isTooLarge ? frozen.tooLarge + 1 : 0;
            // A count alone cannot be split, only sent again: not at once.
            boolean isSplit = switch (answer.kind) {
                case SPLIT -> frozen.events > 0;
                case SPLIT_FIRST -> frozen.events > 0 && over.isFirst;
                // An earlier attempt may have been stored, and a single event is kept.
                case TOO_LARGE ->
                    frozen.events > 1 && (over.isFirst || tooLarge >= MAX_TOO_LARGE);
                default -> false;
            };
            if (answer.kind == Answer.Kind.STORED) {
                if (options.debug) tell(answer);
                settle(frozen, ledger -> ledger.settle((Long) answer.members.get("rejected")));
                isWanted = hasMore;
            } else if (answer.kind == Answer.Kind.DROP) {
                log("a batch of " + frozen.events + " events is refused and dropped: "
                        + answer.reason);
                settle(frozen, Ledger::refuse);
                isWanted = hasMore;
                isCountHeld = frozen.events == 0;
            } else if (isSplit) {
                log("a batch is too large and is split: " + answer.reason);
                split(frozen, asked);
            } else {
                fail(answer.reason, asked, answer.kind == Answer.Kind.HOLD, tooLarge);
            }
        }

        /** In debug builds: what the server thinks of each event. */
        private void tell(Answer answer) {
            try {
                List<String> events = journal.frozenEvents();
                for (int index = 0; events != null && index < events.size(); index++) {
                    byte[] event = events.get(index).getBytes(UTF_8);
                    log("verdict " + Json.members(event).get("name") + " " + answer.verdict(index));
                }
            } catch (IOException unread) {
                logFailure("the verdicts cannot be shown", unread);
            }
        }

        private void split(Frozen frozen, long asked) {
            long span = asked < 0 ? 0 : Backoff.stretched(asked, Sealer.RANDOM.nextDouble());
            long until = System.currentTimeMillis() + span;
            settle(frozen, ledger -> {
                ledger.undo();
                if (asked >= 0) ledger.wait = new Wait(ledger.wait.failures, until, span, 0);
            });
            isWanted = true;
        }

        /**
         * One step that ends a batch. Where the disk does not take it the batch goes again later,
         * and the server knows it.
         */
        private void settle(Frozen frozen, Journal.Change change) {
            for (int left = 3; left > 0; left--) {
                try {
                    journal.step(ledger -> {
                        // Its file may be gone by now.
                        boolean isThere = ledger.frozen != null
                                && ledger.frozen.batchID.equals(frozen.batchID);
                        if (isThere) change.apply(ledger);
                    });
                    followWait();
                    return;
                } catch (IOException failure) {
                    logFailure("an answer cannot be noted", failure);
                }
            }
            fail("the journal cannot be written", -1, false, 0);
        }

        /** Waits, and notes it: a restart must not post any earlier. */
        private void fail(String reason, long asked, boolean isHold, long tooLarge) {
            log("an upload failed: " + reason);
            long failures = journal.ledger.wait.failures + 1;
            long span = Backoff.wait(options, failures, isHold, asked);
            next = in(span);
            Wait wait = new Wait(failures, System.currentTimeMillis() + span, span,
                    isHold ? fingerprint : 0);
            try {
                journal.step(ledger -> {
                    ledger.wait = wait;
                    if (ledger.frozen != null) ledger.frozen = ledger.frozen.answered(tooLarge);
                });
                this.wait = wait;
            } catch (IOException failure) {
                logFailure("a failure cannot be noted", failure);
            }
        }
    }

    // ---- JSON

    /** As much of JSON as events, answers and messages need. */
    private static final class Json {
        private static final int MAX_DEPTH = 16;
        private static final Object NULL = new Object();

        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        static String event(String name, long time, Map<?, ?> attributes, String session) {
            Map<Object, Object> own = new LinkedHashMap<>();
            own.putAll(attributes);
            // It is the client's: one that is given is replaced.
            own.remove(EventRule.SESSION);
            if (session != null) own.put(EventRule.SESSION, session);
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("name", name);
            event.put("time", time);
            event.put("attributes", own);
            return text(event);
        }

        static String text(Object value) {
            StringBuilder out = new StringBuilder(160);
            write(value, out);
            return out.toString();
        }

        private static void write(Object value, StringBuilder out) {
            String comma = "";
            if (value instanceof Map<?, ?> members) {
                out.append('{');
                for (Map.Entry<?, ?> member : members.entrySet()) {
                    out.append(comma);
                    write((String) member.getKey(), out);
                    write(member.getValue(), out.append(':'));
                    comma = ",";
                }
                out.append('}');
            } else if (value instanceof List<?> elements) {
                out.append('[');
                for (Object element : elements) {
                    write(element, out.append(comma));
                    comma = ",";
                }
                out.append(']');
            } else if (value instanceof String string) {
                write(string, out);
            } else {
                out.append(value);
            }
        }

        private static void write(String string, StringBuilder out) {
            out.append('"');
            for (int at = 0; at < string.length(); at++) {
                char unit = string.charAt(at);
                if (unit < 0x20) {
                    out.append("\\u00").append(unit < 0x10 ? '0' : '1');
                    out.append("0123456789abcdef".charAt(unit & 15));
                } else {
                    if (unit == '"' || unit == '\\') out.append('\\');
                    out.append(unit);
                }
            }
            out.append('"');
        }

        /** UTF-8 as a text; null where it is not that. */
        static String decoded(byte[] bytes) {
            try {
                return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            } catch (CharacterCodingException malformed) {
                return null;
            }
        }

        /**
         * The members of an object: Map, List, String, Long, BigInteger, Double, Boolean. None
         * where it is no object, or not I-JSON.
         */
        static Map<String, Object> members(byte[] bytes) {
            String text = decoded(bytes);
            try {
                Json json = new Json(text == null ? "" : text);
                if (!json.take('{')) return Collections.emptyMap();
                Map<String, Object> members = json.object(1);
                json.skipBlanks();
                return json.at == json.text.length() ? members : Collections.emptyMap();
            } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
                return Collections.emptyMap();
            }
        }

        private void skipBlanks() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        }

        private boolean take(char unit) {
            skipBlanks();
            if (at >= text.length() || text.charAt(at) != unit) return false;
            at++;
            return true;
        }

        private void need(boolean isRight) {
            if (!isRight) throw new IllegalArgumentException();
        }

        private Object value(int depth) {
            need(depth <= MAX_DEPTH + 1);
            if (take('{')) return object(depth);
            if (take('[')) return array(depth);
            if (take('"')) return string();
            if (word("true")) return true;
            if (word("false")) return false;
            return word("null") ? NULL : number();
        }

        private boolean word(String word) {
            if (!text.startsWith(word, at)) return false;
            at += word.length();
            return true;
        }

        private Map<String, Object> object(int depth) {
            Map<String, Object> members = new LinkedHashMap<>();
            if (take('}')) return members;
            do {
                need(take('"'));
                String name = string();
                need(take(':'));
                need(members.put(name, value(depth + 1)) == null);
            } while (take(','));
            need(take('}'));
            return members;
        }

        private List<Object> array(int depth) {
            List<Object> elements = new ArrayList<>();
            if (take(']')) return elements;
            do {
                elements.add(value(depth + 1));
            } while (take(','));
            need(take(']'));
            return elements;
        }

        private String string() {
            StringBuilder out = new StringBuilder();
            for (char unit = text.charAt(at++); unit != '"'; unit = text.charAt(at++)) {
                need(unit >= 0x20);
                out.append(unit == '\\' ? escaped() : unit);
            }
            String whole = out.toString();
            // Neither a lone surrogate nor a zero.
            need(UTF_8.newEncoder().canEncode(whole));
            return whole;
        }

        private char escaped() {
            char unit = text.charAt(at++);
            if (unit == 'u') {
                String digits = text.substring(at, at + 4);
                need(digits.matches("[0-9A-Fa-f]{4}"));
                at += 4;
                return (char) Integer.parseInt(digits, 16);
            }
            int index = "\"\\/bfnrt".indexOf(unit);
            need(index >= 0);
            return "\"\\/\b\f\n\r\t".charAt(index);
        }

        private Object number() {
            int start = at;
            while (at < text.length() && "+-.0123456789Ee".indexOf(text.charAt(at)) >= 0) at++;
            String digits = text.substring(start, at);
            need(digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?"));
            if (!digits.matches("-?[0-9]+")) return Double.valueOf(digits);
            return digits.length() < 18 ? (Object) Long.valueOf(digits) : new BigInteger(digits);
        }
    }

    // ---- The judge's adapter

    /** Commands on standard input, one answer each on standard output: for tests alone. */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        BufferedReader in = new BufferedReader(
                new InputStreamReader(System.in, UTF_8));
        Adapter adapter = new Adapter();
        for (String line = in.readLine(); line != null && !line.equals("quit");
                line = in.readLine()) {
            out.print(adapter.answer(line) + "\n");
            out.flush();
        }
        Adapter.wait(done -> adapter.sojourn.terminate(() -> done.accept("")));
        Runtime.getRuntime().halt(0);
    }

    private static final class Adapter {
        /** Calls before the start go to it; its folder is the start's. */
        private final Sojourn sojourn = new Sojourn(null);
        private final Bridge bridge = sojourn.bridge(System.getenv("CLIENT_CONTENT_ID"));

        String answer(String line) {
            String[] words = line.split(" ", 2);
            String rest = words.length == 2 ? words[1] : "";
            String[] parts = rest.split(" ", 2);
            String last = parts.length == 2 ? parts[1] : "";
            boolean isMainFrame = parts[0].equals("main");
            switch (words[0]) {
                case "start": return start(rest.split(" ", 5), false);
                case "start-jwe": return start(rest.split(" ", 6), true);
                case "foreground": sojourn.foreground(); return "ok";
                case "background": return wait(done -> sojourn.background(() -> done.accept("ok")));
                case "screen": sojourn.screen(rest); return "ok";
                case "count": sojourn.count(last, decimal(parts[0])); return "ok";
                case "event": sojourn.event(parts[0], attributes(last)); return "ok";
                case "content": return content(parts[0], last);
                case "video": return video(parts[0], last);
                case "sync": return wait(done -> sojourn.status(status -> done.accept("ok")));
                case "flush":
                    return wait(done -> sojourn.flush(decimal(rest),
                            isDone -> done.accept(isDone ? "done" : "waiting")));
                case "enable":
                    return wait(done -> sojourn.setEnabled(rest.equals("on"),
                            isDone -> done.accept("ok")));
                case "forget": return wait(done -> sojourn.forget(isDone -> done.accept("ok")));
                case "web": return bridge.decide(last, isMainFrame) ? "handled" : "load";
                case "message": bridge.message(last, isMainFrame); return "ok";
                case "bench": return bench((int) decimal(rest));
                case "status": return wait(done -> sojourn.status(s -> done.accept(text(s))));
                default: return "error unknown";
            }
        }

        private String start(String[] words, boolean isJWE) {
            if (words.length < (isJWE ? 6 : 5)) return "error unknown";
            try {
                String secret = content(words[3]);
                Key key = isJWE ? Key.jwe(words[2], secret, content(words[4]))
                        : Key.aes128gcm(words[2], base64url(secret));
                File folder = new File(words[words.length - 1]);
                return wait(done -> sojourn.start(words[1], key, words[0], options(), folder,
                        isOurs -> done.accept(isOurs ? "ok" : "error busy")));
            } catch (IOException | IllegalArgumentException failure) {
                return "error unknown";
            }
        }

        private static Options options() {
            Options options = new Options();
            options.log = System.err::println;
            options.journalLimit = (int) number("JOURNAL_BYTES", options.journalLimit);
            options.budget = number("BUDGET_MS", options.budget);
            options.attempt = number("ATTEMPT_MS", options.attempt);
            options.backoff = number("BACKOFF_MS", options.backoff);
            options.backoffCap = number("BACKOFF_CAP_MS", options.backoffCap);
            options.hold = number("HOLD_MS", options.hold);
            options.interval = number("INTERVAL_MS", options.interval);
            options.sessionTimeout = number("SESSION_TIMEOUT_MS", options.sessionTimeout);
            options.debug = "1".equals(System.getenv("CLIENT_DEBUG"));
            String version = System.getenv("CLIENT_VERSION");
            if (version != null) options.appVersion = version;
            return options;
        }

        private static long number(String name, long otherwise) {
            String text = System.getenv("CLIENT_" + name);
            return text == null ? otherwise : decimal(text);
        }

        private static String content(String path) throws IOException {
            byte[] bytes = Files.readAllBytes(new File(path).toPath());
            return new String(bytes, UTF_8).trim();
        }

        private static String base64url(String digits) {
            byte[] bytes = new byte[digits.length() / 2];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) Integer.parseInt(digits.substring(2 * at, 2 * at + 2), 16);
            }
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        }

        /** What is no object is said by an attribute that breaks a rule. */
        private static Map<String, Object> attributes(String text) {
            Map<String, Object> attributes = Json.members(text.getBytes(UTF_8));
            boolean isEmpty = text.replace(" ", "").equals("{}");
            return attributes.isEmpty() && !isEmpty ? Collections.singletonMap("", false)
                    : attributes;
        }

        private String content(String word, String id) {
            if (word.equals("completed")) {
                return wait(done -> sojourn.content(id).completed(
                        isFirst -> done.accept(isFirst ? "ok first" : "ok again")));
            }
            sojourn.content(id).viewed();
            return "ok";
        }

        private String video(String word, String id) {
            if (word.equals("enter")) sojourn.video(id).enter();
            else sojourn.video(id).exit();
            return "ok";
        }

        private String bench(int count) {
            for (int n = 0; n < count / 10; n++) sojourn.event("bench", Map.of("n", n));
            long[] times = new long[Math.max(1, count)];
            for (int n = 0; n < count; n++) {
                long began = System.nanoTime();
                sojourn.event("bench", Map.of("n", n));
                times[n] = System.nanoTime() - began;
            }
            Arrays.sort(times);
            return "bench " + times[count / 2] + " " + times[(int) (count * 99L / 100)];
        }

        private static String text(Status status) {
            return "status appended=" + status.appended + " accepted=" + status.accepted
                    + " rejected=" + status.rejected + " dropped=" + status.dropped
                    + " deleted=" + status.deleted + " waiting=" + status.waiting
                    + " failures=" + status.failures + " next=" + status.next;
        }

        static String wait(Consumer<Consumer<String>> body) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            body.accept(answer::complete);
            return answer.join();
        }
    }
}
