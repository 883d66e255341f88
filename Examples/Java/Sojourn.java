import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
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

/**
 * Counts how an app is used. Copy this file into the app's package, and begin:
 *
 * <pre>
 * Sojourn sojourn = new Sojourn(folder); // the client's own; on Android in getNoBackupFilesDir()
 * sojourn.start("shop", Key.aes128gcm("k1", "SECRET"), "https://stats.example.org");
 * sojourn.screen("menu");
 * </pre>
 *
 * No call throws or waits for a file or the network, and all may be called from any thread: a call
 * puts a value into memory, and the client's one thread does the rest. Each event reaches the
 * server once, or is counted in the {@code dropped_events} of a later batch. The journal's files
 * are those of the Swift client, and docs/decisions/0050-client-journal.md says why they are so.
 */
public final class Sojourn {
    static final String SDK_VERSION = "0.1.0";
    private static final long MILLISECOND = 1_000_000;
    /** How long calls stay in memory, so that many share one write; nanoseconds. */
    private static final long PAUSE = 2 * MILLISECOND;

    private final File folder;
    private final Inbox inbox = new Inbox();
    private final ScheduledThreadPoolExecutor worker;

    // From here on touched by the worker alone.
    private Machine machine;
    private Consumer<String> log = line -> {};
    private Executor callbacks = Runnable::run;
    private ScheduledFuture<?> alarm;
    private long alarmMoment = Machine.NEVER;

    /** @param folder where the journal lies: the client's own, and in no backup. */
    public Sojourn(File folder) {
        this.folder = folder;
        worker = new ScheduledThreadPoolExecutor(1, body -> {
            Thread thread = new Thread(body, "sojourn");
            thread.setDaemon(true);
            return thread;
        });
        worker.setRemoveOnCancelPolicy(true);
    }

    // MARK: Calls

    /** Starts; calls before it are held (the newest 1,000). A second start is ignored. */
    public void start(String app, Key key, String server) {
        start(app, key, server, new Options());
    }

    public void start(String app, Key key, String server, Options options) {
        start(app, key, server, options, folder, isStarted -> {});
    }

    /** @param started told whether the folder is this process's. */
    private void start(
            String app, Key key, String server, Options options, File folder,
            Consumer<Boolean> started) {
        Clock clock = new Clock(System.currentTimeMillis(), now());
        run(() -> begin(app, key, server, options, folder, clock, started));
    }

    /** An important page was seen. Makes {@code screen.view}. */
    public void screen(String name) {
        record("screen.view", new Object[] {"app.screen.name", name}, false);
    }

    public void count(String name) {
        count(name, 1);
    }

    /** A counter went up, by 1 to 10^9. Makes one {@code usage.counter}. */
    public void count(String name, long by) {
        record("usage.counter", new Object[] {"counter.name", name, "counter.value", by}, false);
    }

    public void event(String name) {
        event(name, Collections.emptyMap());
    }

    /**
     * The app's own event. Values are strings, integers, doubles and booleans; at most 31. A name
     * that has a call of its own, as {@code screen.view}, is refused.
     */
    public void event(String name, Map<String, ?> attributes) {
        record(name, pairs(attributes), true);
    }

    public Content content(String id) {
        return new Content(id);
    }

    public Video video(String id) {
        return new Video(id);
    }

    /** Tries to upload now; waits after failures hold. {@code then}: whether nothing waits. */
    public void flush(long milliseconds, Consumer<Boolean> then) {
        long deadline = now() + Math.min(Math.max(0, milliseconds), 86_400_000) * MILLISECOND;
        run(() -> {
            drain();
            if (machine == null) {
                then.accept(false);
                return;
            }
            machine.flush(deadline, quiet(then));
            setAlarm();
        });
    }

    /** False deletes what waits; nothing is recorded from then on, also after a restart. */
    public void setEnabled(boolean isEnabled) {
        setEnabled(isEnabled, () -> {});
    }

    private void setEnabled(boolean isEnabled, Runnable then) {
        Call call = new Call(Call.Kind.ENABLE, isEnabled ? "on" : "off", null, then, now());
        if (isEnabled) {
            inbox.setEnabled(true);
            inbox.put(call);
        } else {
            inbox.clear(call, true);
        }
        run(this::drain);
    }

    public boolean isEnabled() {
        return inbox.isEnabled();
    }

    /** Deletes what waits; from now on this is another device, with a new random id. */
    public void forget() {
        forget(() -> {});
    }

    private void forget(Runnable then) {
        inbox.clear(new Call(Call.Kind.FORGET, null, null, then, now()), false);
        run(this::drain);
    }

    /** The app came to the foreground. On Android: the first activity was started. */
    public void foreground() {
        put(new Call(Call.Kind.FOREGROUND, null, null, null, now()));
    }

    public void background() {
        background(() -> {});
    }

    /** The app went to the background; {@code then} when the upload is over, after 5 s at most. */
    public void background(Runnable then) {
        inbox.put(new Call(Call.Kind.BACKGROUND, null, null, then, now()));
        run(this::drain);
    }

    /** The process ends; {@code then} when all that was recorded is on the disk. */
    public void terminate(Runnable then) {
        inbox.put(new Call(Call.Kind.TERMINATE, null, null, then, now()));
        run(this::drain);
    }

    /** {@code then} when all calls before it are appended. */
    private void sync(Runnable then) {
        inbox.put(new Call(Call.Kind.SYNC, null, null, then, now()));
        run(this::drain);
    }

    /** The account of this installation, when all calls before it are appended. */
    public void status(Consumer<Status> then) {
        run(() -> {
            if (machine == null) {
                then.accept(new Status());
            } else {
                sync(() -> then.accept(machine.status()));
            }
        });
    }

    private void record(String name, Object[] attributes, boolean isOwn) {
        put(new Call(isOwn ? Call.Kind.OWN : Call.Kind.EVENT, name, attributes, null, now()));
    }

    private void put(Call call) {
        if (inbox.put(call)) {
            worker.schedule(guarded(this::drain), PAUSE, TimeUnit.NANOSECONDS);
        }
    }

    /** A copy: the caller's map may change before it is written. */
    private static Object[] pairs(Map<String, ?> attributes) {
        if (attributes == null) return new Object[0];
        try {
            Object[] pairs = new Object[2 * attributes.size()];
            int at = 0;
            for (Map.Entry<String, ?> entry : attributes.entrySet()) {
                pairs[at++] = entry.getKey();
                pairs[at++] = entry.getValue();
            }
            return pairs;
        } catch (RuntimeException changedMeanwhile) {
            return new Object[] {"", false};
        }
    }

    private static final long ORIGIN = System.nanoTime();

    /** Nanoseconds. On Android {@code SystemClock.elapsedRealtimeNanos()} runs on during sleep. */
    private static long now() {
        return System.nanoTime() - ORIGIN;
    }

    // MARK: On the worker

    private void begin(
            String app, Key key, String server, Options options, File folder, Clock clock,
            Consumer<Boolean> started) {
        if (machine != null) {
            options.log.accept("a second start is ignored");
            started.accept(true);
            return;
        }
        log = quiet(options.log);
        Machine made;
        try {
            Disk disk = new Disk((options.debug ? new File(folder, "debug") : folder).toPath());
            Sealer sealer = new Sealer(key);
            Poster poster = new Poster(server, app, sealer.fields, options);
            if (!disk.claim()) {
                log.accept("cannot start: another process has the folder");
                started.accept(false);
                return;
            }
            made = new Machine(this, options, disk, sealer, poster, clock,
                    key.fingerprint(server, app));
        } catch (RuntimeException | GeneralSecurityException failure) {
            log.accept("cannot start: the key is not 43 characters of base64url, or a JWK of"
                    + " P-256; or the server is not http:// or https:// with a host");
            started.accept(true);
            return;
        }
        started.accept(true);
        callbacks = options.callbacks;
        machine = made;
        inbox.start();
        machine.open();
        drain();
    }

    /** Appends what was called, in its order. */
    private void drain() {
        if (machine == null || !machine.isOpen()) {
            inbox.release();
        } else {
            for (Inbox.Batch batch = inbox.take(); batch != null; batch = inbox.take()) {
                machine.take(batch.calls, batch.dropped);
            }
            machine.considerUpload();
        }
        setAlarm();
    }

    private void posted(int number, Reply reply) {
        run(() -> {
            machine.posted(number, reply);
            setAlarm();
        });
    }

    private void ring() {
        alarm = null;
        alarmMoment = Machine.NEVER;
        machine.tick();
        drain();
    }

    private void setAlarm() {
        long moment = machine == null ? Machine.NEVER : machine.alarm();
        if (moment == alarmMoment) return;
        if (alarm != null) alarm.cancel(false);
        alarmMoment = moment;
        alarm = moment == Machine.NEVER ? null
                : worker.schedule(guarded(this::ring), moment - now(), TimeUnit.NANOSECONDS);
    }

    private void run(Runnable body) {
        worker.execute(guarded(body));
    }

    /** What goes wrong in one task must not be silent, nor end those after it. */
    private Runnable guarded(Runnable body) {
        return () -> {
            try {
                body.run();
            } catch (RuntimeException | Error failure) {
                log.accept("a task failed: " + failure.getClass().getName());
            }
        };
    }

    /** What the app hands in may throw: what was taken from the inbox is recorded all the same. */
    private static <T> Consumer<T> quiet(Consumer<T> then) {
        return value -> {
            try {
                then.accept(value);
            } catch (RuntimeException theApps) {
                // Nobody here could do anything about it.
            }
        };
    }

    // MARK: What an app gives and gets

    public final class Content {
        private final String id;

        private Content(String id) {
            this.id = id;
        }

        /** It was shown. Makes {@code content.view}. */
        public void viewed() {
            record("content.view", new Object[] {"content.id", id}, false);
        }

        public void completed() {
            completed(null);
        }

        /**
         * It was read to its end. Makes {@code content.complete}. {@code then}, on
         * {@link Options#callbacks}: whether it is the first time, by the last 1,000 contents.
         */
        public void completed(Consumer<Boolean> then) {
            Consumer<Boolean> told = quiet(isFirst -> {
                if (then != null) callbacks.execute(() -> then.accept(isFirst));
            });
            put(new Call(Call.Kind.COMPLETED, id, null, told, now()));
        }
    }

    public final class Video {
        private final String id;

        private Video(String id) {
            this.id = id;
        }

        public void enter() {
            record("video.enter_fullscreen", new Object[] {"video.id", id}, false);
        }

        public void exit() {
            record("video.exit_fullscreen", new Object[] {"video.id", id}, false);
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
        public Consumer<String> log = line -> {};
        /** Where {@code completed} calls back; on Android the main thread's executor. */
        public Executor callbacks = Runnable::run;
        /** What a batch says of the device and the app; on Android from {@code Build}. */
        public String osName = "Linux";
        public String osVersion = version(System.getProperty("os.version", ""));
        public String model = System.getProperty("os.arch", "");
        public String manufacturer = "";
        public String appVersion = "0";
        public String appBuild = "";

        long backoff = 1000;
        long backoffCap = 300_000;
        long hold = 3_600_000;
        long budget = 5000;
        long attempt = 30_000;
        long interval = 300_000;

        /** The numbers that a version begins with. */
        private static String version(String text) {
            int end = 0;
            while (end < text.length() && "0123456789.".indexOf(text.charAt(end)) >= 0) end++;
            return end == 0 ? "0" : text.substring(0, end);
        }

        /** The {@code resource} but for the installation's id, as JSON. */
        byte[] resource() {
            Bytes out = new Bytes();
            String[] members = {
                "os.name", osName, "os.version", osVersion, "device.model.identifier", model,
                "device.manufacturer", manufacturer, "service.version", appVersion,
                "app.build_id", appBuild, "telemetry.sdk.name", "sojourn-java",
                "telemetry.sdk.version", SDK_VERSION,
            };
            for (int at = 0; at < members.length; at += 2) {
                String value = members[at + 1];
                if (value == null || value.isEmpty()) continue;
                out.add(out.size() == 0 ? "{" : ",");
                Json.write(members[at], out);
                out.add(":");
                Json.write(EventRule.isText(value, 1, 128) ? value : "?", out);
            }
            return out.add("}").toByteArray();
        }
    }

    /** What became of events over the installation's life; {@code next} is in milliseconds. */
    public static final class Status {
        public long appended, accepted, rejected, dropped, deleted, waiting, failures, next;
    }

    // MARK: Calls in memory

    private static final class Call {
        enum Kind { EVENT, OWN, COMPLETED, FOREGROUND, BACKGROUND, TERMINATE, ENABLE, FORGET, SYNC }

        final Kind kind;
        final String name;
        final Object[] attributes;
        /** A Runnable, or of COMPLETED a Consumer of Boolean. */
        Object then;
        final long moment;

        Call(Kind kind, String name, Object[] attributes, Object then, long moment) {
            this.kind = kind;
            this.name = name;
            this.attributes = attributes;
            this.then = then;
            this.moment = moment;
        }

        boolean isRecord() {
            return kind.ordinal() <= Kind.COMPLETED.ordinal();
        }

        void done() {
            if (then != null) quiet(ignored -> ((Runnable) then).run()).accept(this);
        }

        @SuppressWarnings("unchecked")
        void completed(boolean isFirst) {
            if (kind == Kind.COMPLETED) ((Consumer<Boolean>) then).accept(isFirst);
        }
    }

    /** Calls between their making and the worker: all that a call costs is a lock and an append. */
    private static final class Inbox {
        record Batch(ArrayDeque<Call> calls, long dropped) { }

        private static final int CAPACITY_BEFORE_START = 1000;
        private static final int CAPACITY = 10_000;

        private ArrayDeque<Call> calls = new ArrayDeque<>();
        private long dropped;
        private boolean isStarted, isScheduled;
        private boolean isEnabled = true;
        /** Calls that are being appended: they are in memory, too. */
        private int taken;

        /** Returns whether the worker has to be told: nobody has since it was last empty. */
        boolean put(Call call) {
            Call refused = null;
            boolean isNeeded = false;
            synchronized (this) {
                if (call.isRecord() && !isEnabled) {
                    refused = call;
                } else if (call.isRecord() && isStarted && calls.size() + taken >= CAPACITY) {
                    dropped++;
                    refused = call;
                } else {
                    if (call.isRecord() && !isStarted && calls.size() >= CAPACITY_BEFORE_START) {
                        refused = removeOldest();
                    }
                    calls.add(call);
                    isNeeded = isStarted && !isScheduled;
                    if (isNeeded) isScheduled = true;
                }
            }
            if (refused != null) refused.completed(false);
            return isNeeded;
        }

        private Call removeOldest() {
            for (Call call : calls) {
                if (!call.isRecord()) continue;
                calls.removeFirstOccurrence(call);
                dropped++;
                return call;
            }
            return null;
        }

        synchronized void start() {
            isStarted = true;
            isScheduled = true;
        }

        /** What was called since; null for nothing: the next put tells the worker again. */
        synchronized Batch take() {
            taken = calls.size();
            if (calls.isEmpty() && dropped == 0) {
                isScheduled = false;
                return null;
            }
            Batch batch = new Batch(calls, dropped);
            calls = new ArrayDeque<>();
            dropped = 0;
            return batch;
        }

        /** Deletes what was recorded and not yet taken, and then puts a call in. */
        void clear(Call call, boolean disables) {
            List<Call> deleted;
            synchronized (this) {
                if (disables) isEnabled = false;
                deleted = deleteRecords();
            }
            for (Call old : deleted) old.completed(false);
            put(call);
        }

        /** An earlier launch was told to record nothing. Where this one was told, that holds. */
        void switchOff() {
            List<Call> deleted = new ArrayList<>();
            synchronized (this) {
                boolean isTold = false;
                for (Call call : calls) isTold |= call.kind == Call.Kind.ENABLE;
                if (!isTold) {
                    isEnabled = false;
                    deleted = deleteRecords();
                }
            }
            for (Call old : deleted) old.completed(false);
        }

        private List<Call> deleteRecords() {
            List<Call> deleted = new ArrayList<>();
            for (Call call : calls) {
                if (call.isRecord()) deleted.add(call);
            }
            calls.removeIf(Call::isRecord);
            dropped = 0;
            return deleted;
        }

        /** While nothing can be taken: those that wait for an upload or the end need not. */
        void release() {
            List<Object> waiting = new ArrayList<>();
            synchronized (this) {
                for (Call call : calls) {
                    boolean isEnd = call.kind == Call.Kind.BACKGROUND
                            || call.kind == Call.Kind.TERMINATE;
                    if (!isEnd || call.then == null) continue;
                    waiting.add(call.then);
                    call.then = null;
                }
            }
            for (Object then : waiting) quiet(ignored -> ((Runnable) then).run()).accept(then);
        }

        synchronized boolean isEnabled() {
            return isEnabled;
        }

        synchronized void setEnabled(boolean isEnabled) {
            this.isEnabled = isEnabled;
        }
    }

    // MARK: Events

    /** The device's clock at start plus what the monotonic one has counted since. */
    private record Clock(long wall, long monotonic) {
        long time(long moment) {
            return wall + Math.floorDiv(moment - monotonic, MILLISECOND);
        }
    }

    /** What a call may say: the rules of docs/protocol.md, Events. Nothing is repaired. */
    private static final class EventRule {
        static final long MAX_INTEGER = 9_007_199_254_740_991L;
        static final String SESSION = "session.id";
        private static final int MAX_ATTRIBUTES = 31;

        /** The attribute that an event of a name of its own must have. */
        private static final Map<String, String> REQUIRED = new LinkedHashMap<>();

        static {
            for (String word : new String[] {"start", "resume", "end"}) {
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

        /** The rule that is broken; null for none. */
        static String broken(String name, Object[] attributes, boolean isOwn) {
            if (!isName(name)) return "invalid-name";
            String required = REQUIRED.get(name);
            if (isOwn && required != null) return "reserved-name";
            int count = 0;
            for (int at = 0; at < attributes.length; at += 2) {
                Object key = attributes[at];
                if (SESSION.equals(key)) continue;
                count++;
                if (count > MAX_ATTRIBUTES || !isText(key, 1, 64) || !isValue(attributes[at + 1])) {
                    return "invalid-attribute";
                }
                if (key.equals(required) && !isText(attributes[at + 1], 1, 128)) {
                    return "invalid-attribute";
                }
                if (required != null && key.equals("counter.value")) {
                    long value = ((Number) attributes[at + 1]).longValue();
                    if (value < 1 || value > 1_000_000_000) return "invalid-attribute";
                }
            }
            return null;
        }

        private static boolean isValue(Object value) {
            if (value instanceof String) return isText(value, 0, 1024);
            if (isInteger(value)) {
                long number = ((Number) value).longValue();
                return -MAX_INTEGER <= number && number <= MAX_INTEGER;
            }
            if (value instanceof Double || value instanceof Float) {
                return Double.isFinite(((Number) value).doubleValue());
            }
            return value instanceof Boolean;
        }

        static boolean isInteger(Object value) {
            return value instanceof Long || value instanceof Integer || value instanceof Short
                    || value instanceof Byte;
        }

        /** So many bytes of UTF-8, none of them 0; a lone surrogate has none. */
        static boolean isText(Object value, int least, int most) {
            if (!(value instanceof String)) return false;
            String text = (String) value;
            if (text.length() > most) return false;
            int bytes = 0;
            for (int at = 0; at < text.length(); at++) {
                char unit = text.charAt(at);
                if (unit == 0) return false;
                if (Character.isSurrogate(unit)) {
                    boolean isPair = Character.isHighSurrogate(unit) && at + 1 < text.length()
                            && Character.isLowSurrogate(text.charAt(at + 1));
                    if (!isPair) return false;
                    at++;
                    bytes += 4;
                } else {
                    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
                }
            }
            return least <= bytes && bytes <= most;
        }

        /** {@code [a-z][a-z0-9_]*(\.[a-z0-9_]+)*}, at most 64 bytes. */
        static boolean isName(String name) {
            if (name == null || name.isEmpty() || name.length() > 64) return false;
            char last = '.';
            for (int at = 0; at < name.length(); at++) {
                char unit = name.charAt(at);
                boolean isLetter = 'a' <= unit && unit <= 'z';
                boolean isOther = '0' <= unit && unit <= '9' || unit == '_';
                if (unit == '.' ? last == '.' : !isLetter && (!isOther || at == 0)) return false;
                last = unit;
            }
            return last != '.';
        }
    }

    /** Which event the foreground and the background make, and whose they are (client.md §2). */
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

        /** The event's name; null where nothing changes. Times are milliseconds. */
        String foreground(long now) {
            if (isForeground) return null;
            isForeground = true;
            if (id != null && now - since < timeout) return "session.resume";
            id = UUID.randomUUID().toString();
            return "session.start";
        }

        String background(long now) {
            if (!isForeground) return null;
            isForeground = false;
            since = now;
            return "session.end";
        }

        /** Another device: nothing goes on. */
        void forget() {
            id = isForeground ? UUID.randomUUID().toString() : null;
        }

        String latest() {
            return id;
        }
    }

    // MARK: The journal: segments of events, and the ledger that accounts for them

    /** Bytes that are added to. */
    private static final class Bytes extends ByteArrayOutputStream {
        Bytes add(String text) {
            return add(text.getBytes(StandardCharsets.UTF_8));
        }

        Bytes add(byte[] bytes) {
            return add(bytes, 0, bytes.length);
        }

        Bytes add(byte[] bytes, int start, int end) {
            write(bytes, start, end - start);
            return this;
        }
    }

    /** Where a text lies in a segment's bytes. */
    private record Range(int start, int end) { }

    /**
     * A line of a segment: a checksum, a letter, a text, a line feed.
     *
     * @param drops how many events it says were dropped; a damaged line was one
     */
    private record Line(char kind, long drops, int start, int end) {
        static final char RESOURCE = 'H', EVENT = 'E', DROPS = 'D', DAMAGED = '?';
        private static final long MAX_DROPS = 1_000_000_000;
        /** Eight digits, a blank, the letter, a blank. */
        private static final int OPENING = 11;

        int size() {
            return end - start;
        }

        Range text() {
            return new Range(start + OPENING, end - 1);
        }

        static void append(char kind, byte[] text, Bytes out) {
            byte[] content = new Bytes().add(kind + " ").add(text).toByteArray();
            out.add(checksum(content, 0, content.length)).add(" ").add(content).add("\n");
        }

        /** The whole lines of a part of a segment; what has no end was never appended. */
        static List<Line> read(byte[] bytes, int from, int to) {
            List<Line> lines = new ArrayList<>();
            int begin = from;
            for (int at = from; at < Math.min(to, bytes.length); at++) {
                if (bytes[at] != '\n') continue;
                lines.add(read(bytes, begin, at, at + 1));
                begin = at + 1;
            }
            return lines;
        }

        private static Line read(byte[] bytes, int start, int stop, int end) {
            Line damaged = new Line(DAMAGED, 1, start, end);
            if (stop - start < OPENING || bytes[start + 8] != ' ' || bytes[start + 10] != ' '
                    || !text(bytes, start, start + 8).equals(checksum(bytes, start + 9, stop))) {
                return damaged;
            }
            char kind = (char) bytes[start + 9];
            if (kind == RESOURCE || kind == EVENT) return new Line(kind, 0, start, end);
            if (kind != DROPS) return damaged;
            long drops = decimal(text(bytes, start + OPENING, stop));
            return drops < 0 || drops > MAX_DROPS ? damaged : new Line(kind, drops, start, end);
        }

        static String checksum(byte[] bytes, int start, int end) {
            CRC32 crc = new CRC32();
            crc.update(bytes, start, end - start);
            return hex(crc.getValue(), 8);
        }

        static String text(byte[] bytes, int start, int end) {
            return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
        }
    }

    private static String hex(long value, int digits) {
        StringBuilder out = new StringBuilder(digits);
        for (int shift = 4 * digits - 4; shift >= 0; shift -= 4) {
            out.append("0123456789abcdef".charAt((int) (value >>> shift & 15)));
        }
        return out.toString();
    }

    /** 1 to 16 digits as a number up to 2^53-1; -1 for anything else. */
    private static long decimal(String text) {
        if (text.isEmpty() || text.length() > 16) return -1;
        long value = 0;
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            if (unit < '0' || unit > '9') return -1;
            value = 10 * value + unit - '0';
        }
        return value <= EventRule.MAX_INTEGER ? value : -1;
    }

    /** Lines that are to be appended together, with their account. */
    private static final class Lines {
        private Bytes out = new Bytes();
        long events, drops;

        boolean isEmpty() {
            return out.size() == 0;
        }

        int size() {
            return out.size();
        }

        byte[] bytes() {
            return out.toByteArray();
        }

        void add(byte[] json) {
            Line.append(Line.EVENT, json, out);
            events++;
        }

        void drop(long count) {
            for (long rest = count; rest > 0; rest -= Line.MAX_DROPS) {
                long part = Math.min(rest, Line.MAX_DROPS);
                Line.append(Line.DROPS, Long.toString(part).getBytes(StandardCharsets.UTF_8), out);
                drops += part;
            }
        }

        void prepend(Lines front) {
            out = new Bytes().add(front.bytes()).add(bytes());
            events += front.events;
            drops += front.drops;
        }

        /** Takes the whole lines of the first bytes away. */
        Lines removeFirst(int count) {
            byte[] all = bytes();
            Lines front = new Lines();
            int end = 0;
            for (Line line : Line.read(all, 0, count)) {
                if (line.kind == Line.EVENT) front.events++;
                front.drops += line.drops;
                end = line.end;
            }
            front.out.add(all, 0, end);
            out = new Bytes().add(all, end, all.length);
            events -= front.events;
            drops -= front.drops;
            return front;
        }
    }

    /** A file of lines, which one process appends to; what of it waits. */
    private static final class Segment {
        static final String SUFFIX = ".events";
        static final long MAX_NUMBER = 1L << 49;

        final long number;
        int size;
        long events, drops;
        int bytes;

        Segment(long number) {
            this.number = number;
        }

        boolean isUsed() {
            return bytes == 0;
        }

        Segment copy() {
            Segment copy = new Segment(number);
            copy.size = size;
            copy.events = events;
            copy.drops = drops;
            copy.bytes = bytes;
            return copy;
        }

        void count(byte[] content, int cursor) {
            clear();
            for (Line line : Line.read(content, cursor, content.length)) {
                if (line.kind == Line.RESOURCE) continue;
                if (line.kind == Line.EVENT) events++;
                drops += line.drops;
                bytes += line.size();
            }
            size = content.length;
            while (size > 0 && content[size - 1] != '\n') size--;
        }

        void add(Lines lines) {
            size += lines.size();
            bytes += lines.size();
            events += lines.events;
            drops += lines.drops;
        }

        void clear() {
            events = 0;
            drops = 0;
            bytes = 0;
        }

        /** The line that says what a batch of this segment says of the device; null for none. */
        static Line resource(byte[] content) {
            int end = 0;
            while (end < content.length && content[end] != '\n') end++;
            List<Line> lines = Line.read(content, 0, end + 1);
            return lines.isEmpty() || lines.get(0).kind != Line.RESOURCE ? null : lines.get(0);
        }

        static String name(long number) {
            String digits = Long.toString(number);
            return "0000000000000000".substring(Math.min(16, digits.length())) + digits + SUFFIX;
        }

        /** -1 for a name that is none of a segment. */
        static long number(String name) {
            if (!name.endsWith(SUFFIX)) return -1;
            long number = decimal(name.substring(0, name.length() - SUFFIX.length()));
            return number >= 1 && number <= MAX_NUMBER && name(number).equals(name) ? number : -1;
        }
    }

    /** Lines of one segment from its cursor on, as many as a batch takes. */
    private record Cut(long segment, int start, boolean isUndone, List<Line> lines) {
        private static final int MAX_EVENTS = 5000;
        private static final int MAX_BYTES = 262_144 - 2048;

        static Cut of(long segment, byte[] bytes, int start, int end, int maxBytes) {
            return of(segment, bytes, start, end, MAX_EVENTS, maxBytes, false);
        }

        static Cut of(
                long segment, byte[] bytes, int start, int end, long maxEvents, int maxBytes,
                boolean isUndone) {
            List<Line> lines = new ArrayList<>();
            int events = 0;
            int size = 0;
            for (Line line : Line.read(bytes, start, end)) {
                if (line.kind == Line.EVENT) {
                    boolean isFull = events == maxEvents || size + line.size() > maxBytes;
                    if (events > 0 && isFull) break;
                    events++;
                    size += line.size();
                }
                lines.add(line);
            }
            return new Cut(segment, start, isUndone, lines);
        }

        static Cut of(Frozen batch, byte[] bytes) {
            return of(batch.segment, bytes, batch.start, batch.end, Integer.MAX_VALUE,
                    Integer.MAX_VALUE, false);
        }

        /** No line: a batch of a count alone, or a cursor that is moved. */
        static Cut at(long segment, int end) {
            return new Cut(segment, end, false, Collections.emptyList());
        }

        int end() {
            return lines.isEmpty() ? start : lines.get(lines.size() - 1).end;
        }

        List<Range> events() {
            List<Range> events = new ArrayList<>();
            for (Line line : lines) {
                if (line.kind == Line.EVENT) events.add(line.text());
            }
            return events;
        }

        long drops() {
            long sum = 0;
            for (Line line : lines) sum += line.drops;
            return sum;
        }

        Cut prefix(int count) {
            List<Line> front = new ArrayList<>();
            int seen = 0;
            for (Line line : lines) {
                if (seen == count) break;
                front.add(line);
                if (line.kind == Line.EVENT) seen++;
            }
            return new Cut(segment, start, isUndone, front);
        }
    }

    /** The batch on its way. What it says never changes. */
    private record Frozen(
            long segment, int start, int end, long events, long sequence, long dropped,
            String batchID) { }

    /** What a 413 has undone: it waits in front, and goes in batches of {@code cap} at most. */
    private record Undone(long segment, int start, int end, long events, long cap) { }

    /**
     * A wait as the journal holds it: a restart changes neither the count nor the moment.
     *
     * @param until the device's clock when something may be posted again
     * @param span how long the wait was when it was set, ms
     * @param held what was refused with a hold, by app, key, token and server; 0 if it is none
     */
    private record Wait(long failures, long until, long span, long held) {
        static final Wait NONE = new Wait(0, 0, 0, 0);

        /** What is left of it. A moment further off than the wait was: the clock was set back. */
        long remaining(long now, long fingerprint) {
            if (held != 0 && held != fingerprint) return 0;
            long rest = until - now;
            return rest > span || rest < 0 ? 0 : Math.min(rest, Backoff.MAX_WAIT);
        }
    }

    /**
     * The account: what of the segments is used up, what became of it, the batch on its way, the
     * wait. One small file that is replaced whole, so that each method that changes it is one
     * atomic step. Events that wait are in no count: they are the lines after the cursors.
     */
    private static final class Ledger {
        private static final String OPENING = "sojourn-ledger 1";
        private static final long MAX_NUMBER = 1L << 50;
        private static final int MAX_CONTENTS = 1000;

        String installation;
        long serial;
        long nextSequence = 1;
        long accepted, rejected, dropped, deleted;
        /** Dropped events of which no batch has told yet. */
        long unreported;
        boolean isEnabled = true;
        /** Segments below are used up. */
        long floor = 1;
        TreeMap<Long, Integer> cursors = new TreeMap<>();
        Frozen frozen;
        Undone undone;
        Wait wait = Wait.NONE;
        /** Hashes of the contents that were completed last. */
        LinkedHashSet<Long> contents = new LinkedHashSet<>();
        /** A hash of the id that was forgotten last, for groups of apps; 0 for none. */
        long forgotten;

        Ledger(String installation) {
            this.installation = installation;
        }

        Ledger copy() {
            Ledger copy = new Ledger(installation);
            copy.serial = serial;
            copy.nextSequence = nextSequence;
            copy.accepted = accepted;
            copy.rejected = rejected;
            copy.dropped = dropped;
            copy.deleted = deleted;
            copy.unreported = unreported;
            copy.isEnabled = isEnabled;
            copy.floor = floor;
            copy.cursors = new TreeMap<>(cursors);
            copy.frozen = frozen;
            copy.undone = undone;
            copy.wait = wait;
            copy.contents = new LinkedHashSet<>(contents);
            copy.forgotten = forgotten;
            return copy;
        }

        long pinnedEvents() {
            return (frozen == null ? 0 : frozen.events) + (undone == null ? 0 : undone.events);
        }

        boolean pins(long segment) {
            return frozen != null && frozen.segment == segment
                    || undone != null && undone.segment == segment;
        }

        /** A new segment is above it: under a used number its first lines would count as used. */
        long highestSegment() {
            long highest = floor - 1;
            if (!cursors.isEmpty()) highest = Math.max(highest, cursors.lastKey());
            if (frozen != null) highest = Math.max(highest, frozen.segment);
            if (undone != null) highest = Math.max(highest, undone.segment);
            return highest;
        }

        // Steps

        /** Counts events that are gone. */
        void lose(long events) {
            dropped += events;
            unreported += events;
        }

        void freeze(Cut cut, String batchID) {
            long events = cut.events().size();
            use(cut, events);
            frozen = new Frozen(cut.segment, cut.start, cut.end(), events, nextSequence,
                    unreported, batchID);
            nextSequence++;
            unreported = 0;
        }

        /** Steps over lines without an event: what they say is counted. */
        void skip(Cut cut) {
            use(cut, 0);
        }

        private void use(Cut cut, long events) {
            if (!cut.isUndone || undone == null) {
                lose(cut.drops());
                cursors.put(cut.segment, cut.end());
                return;
            }
            int start = Math.min(cut.end(), undone.end);
            undone = new Undone(undone.segment, start, undone.end,
                    Math.max(0, undone.events - events), undone.cap);
            // What was an event and is not readable any more.
            if (start == undone.end || cut.lines.isEmpty()) loseUndone();
        }

        void loseUndone() {
            if (undone != null) lose(undone.events);
            undone = null;
        }

        /** The server has the batch. */
        void settle(long refused) {
            if (frozen == null) return;
            long part = Math.min(Math.max(refused, 0), frozen.events);
            rejected += part;
            accepted += frozen.events - part;
            frozen = null;
            wait = Wait.NONE;
        }

        /** The batch is refused for good, or cannot be read. Its sequence stays used. */
        void refuse() {
            if (frozen == null) return;
            lose(frozen.events);
            unreported += frozen.dropped;
            frozen = null;
            wait = Wait.NONE;
        }

        /** The batch is too large: its events wait again, in front. A single one is dropped. */
        void undo() {
            if (frozen == null) return;
            nextSequence = frozen.sequence;
            if (frozen.events <= 1) {
                refuse();
                return;
            }
            unreported += frozen.dropped;
            long events = frozen.events + (undone == null ? 0 : undone.events);
            int end = undone == null ? frozen.end : Math.max(undone.end, frozen.end);
            undone = new Undone(frozen.segment, frozen.start, end, events, frozen.events / 2);
            frozen = null;
        }

        /** Drops the oldest of what waits, to keep the bound. */
        void drop(Cut cut) {
            lose(cut.events().size());
            use(cut, 0);
        }

        /** Deletes what waits, as the user wants it: it is counted and not told any more. */
        void wipe(long waiting, long drops, TreeMap<Long, Integer> ends) {
            deleted += waiting;
            dropped += drops;
            unreported = 0;
            frozen = null;
            undone = null;
            cursors = ends;
        }

        void forget(long waiting, long drops, TreeMap<Long, Integer> ends, String next) {
            wipe(waiting, drops, ends);
            forgotten = hash(installation);
            installation = next;
            nextSequence = 1;
            contents.clear();
        }

        /** Whether a content is completed for the first time; it is remembered. */
        boolean complete(String content) {
            if (!contents.add(hash(content))) return false;
            if (contents.size() > MAX_CONTENTS) contents.remove(contents.iterator().next());
            return true;
        }

        /** FNV-1a of 64 bits. */
        private static long hash(String text) {
            long hash = 0xCBF29CE484222325L;
            for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
                hash = (hash ^ (octet & 0xFF)) * 0x100000001B3L;
            }
            return hash;
        }

        // The file

        byte[] text() {
            StringBuilder out = new StringBuilder(OPENING);
            line(out, "installation", installation);
            line(out, "serial", serial);
            line(out, "sequence", nextSequence);
            line(out, "counts", accepted, rejected, dropped, deleted);
            line(out, "unreported", unreported);
            line(out, "enabled", isEnabled ? 1 : 0);
            line(out, "floor", floor);
            for (Map.Entry<Long, Integer> cursor : cursors.entrySet()) {
                line(out, "cursor", cursor.getKey(), cursor.getValue());
            }
            if (frozen != null) {
                line(out, "frozen", frozen.segment, frozen.start, frozen.end, frozen.events,
                        frozen.sequence, frozen.dropped, frozen.batchID);
            }
            if (undone != null) {
                line(out, "undone", undone.segment, undone.start, undone.end, undone.events,
                        undone.cap);
            }
            line(out, "wait", wait.failures, wait.until, wait.span, hex(wait.held, 16));
            line(out, "contents");
            for (long content : contents) out.append(' ').append(hex(content, 16));
            if (forgotten != 0) line(out, "forgotten", hex(forgotten, 16));
            byte[] text = out.append('\n').toString().getBytes(StandardCharsets.UTF_8);
            return new Bytes().add(text).add("crc " + Line.checksum(text, 0, text.length) + "\n")
                    .toByteArray();
        }

        private static void line(StringBuilder out, String name, Object... fields) {
            out.append('\n').append(name);
            for (Object field : fields) out.append(' ').append(field);
        }

        /** Null where it is damaged. */
        static Ledger read(byte[] bytes) {
            // "crc ", eight digits and a line feed.
            int end = bytes.length - 13;
            if (end < 1) return null;
            String crc = "crc " + Line.checksum(bytes, 0, end) + "\n";
            if (!Line.text(bytes, end, bytes.length).equals(crc)) return null;
            String[] lines = Line.text(bytes, 0, end).split("\n");
            if (!lines[0].equals(OPENING)) return null;
            Ledger ledger = new Ledger("");
            try {
                for (String line : Arrays.asList(lines).subList(1, lines.length)) {
                    String[] fields = line.split(" ");
                    ledger.read(fields[0], Arrays.copyOfRange(fields, 1, fields.length));
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException damage) {
                return null;
            }
            boolean isWhole = ledger.installation.length() == 36
                    && ledger.highestSegment() <= Segment.MAX_NUMBER;
            return isWhole ? ledger : null;
        }

        private void read(String name, String[] fields) {
            switch (name) {
                case "installation": installation = fields[0]; break;
                case "serial": serial = number(fields[0]); break;
                case "sequence": nextSequence = number(fields[0]); break;
                case "counts":
                    accepted = number(fields[0]);
                    rejected = number(fields[1]);
                    dropped = number(fields[2]);
                    deleted = number(fields[3]);
                    break;
                case "unreported": unreported = number(fields[0]); break;
                case "enabled": isEnabled = number(fields[0]) == 1; break;
                case "floor": floor = number(fields[0]); break;
                case "cursor": cursors.put(number(fields[0]), offset(fields[1])); break;
                case "frozen":
                    frozen = new Frozen(number(fields[0]), offset(fields[1]), offset(fields[2]),
                            number(fields[3]), number(fields[4]), number(fields[5]), fields[6]);
                    break;
                case "undone":
                    undone = new Undone(number(fields[0]), offset(fields[1]), offset(fields[2]),
                            number(fields[3]), Math.max(1, number(fields[4])));
                    break;
                case "wait":
                    wait = new Wait(number(fields[0]), number(fields[1]), number(fields[2]),
                            Long.parseUnsignedLong(fields[3], 16));
                    break;
                case "contents":
                    for (String field : fields) contents.add(Long.parseUnsignedLong(field, 16));
                    break;
                case "forgotten": forgotten = Long.parseUnsignedLong(fields[0], 16); break;
                default: throw new IllegalArgumentException(name);
            }
        }

        /** None is reached by counting, and no sum of a few leaves 64 bits. */
        private static long number(String field) {
            long value = decimal(field);
            if (value < 0 || value > MAX_NUMBER) throw new IllegalArgumentException();
            return value;
        }

        private static int offset(String field) {
            long value = number(field);
            if (value > Integer.MAX_VALUE) throw new IllegalArgumentException();
            return (int) value;
        }
    }

    /** The folder: every file is touched by the system's plain calls, and by the worker alone. */
    private static final class Disk {
        /** Bytes of a file that are read: ours never have as many. */
        private static final int MAX_SIZE = 1 << 20;

        private final Path folder;
        private FileChannel lock;

        Disk(Path folder) {
            this.folder = folder;
        }

        /** Takes the folder for this process; false where another has it. Its end gives it back. */
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

            Busy() {
                super("another process has the folder");
            }
        }

        /** Makes the folder if it is not there, or was deleted while the client runs. */
        void makeFolder() throws IOException {
            Path path = folder.resolve("lock");
            if (lock != null && !Files.notExists(path)) return;
            if (Files.notExists(folder)) {
                Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rwx------")));
            }
            FileChannel file = open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                if (file.tryLock() == null) {
                    file.close();
                    throw new Busy();
                }
            } catch (OverlappingFileLockException ours) {
                // Another client of this process. Closing the file now would end its lock, too.
                throw new Busy();
            }
            if (lock != null) lock.close();
            lock = file;
        }

        private FileChannel open(Path path, OpenOption... options) throws IOException {
            Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
            all.add(LinkOption.NOFOLLOW_LINKS);
            return FileChannel.open(path, all, PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rw-------")));
        }

        /** The numbers of all segments, in order. */
        List<Long> numbers() throws IOException {
            List<Long> numbers = new ArrayList<>();
            try (DirectoryStream<Path> names = Files.newDirectoryStream(folder)) {
                for (Path path : names) {
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

        /** What cannot be reached now is not gone. */
        boolean exists(String name) {
            return !Files.notExists(folder.resolve(name));
        }

        /** A file's bytes; null where there is none. A read that fails is never an empty file. */
        byte[] content(String name) throws IOException {
            Path path = folder.resolve(name);
            try {
                if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
                    return new byte[0];
                }
                try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(file.size(), MAX_SIZE));
                    while (buffer.hasRemaining() && file.read(buffer) >= 0) { }
                    return Arrays.copyOf(buffer.array(), buffer.position());
                }
            } catch (NoSuchFileException gone) {
                return null;
            }
        }

        /** Replaces a file whole: beside it, synced, renamed, and the folder synced. */
        void replace(String name, byte[] bytes) throws IOException {
            Path next = folder.resolve(name + ".new");
            try (FileChannel file = create(next)) {
                append(bytes, file);
                file.force(true);
            }
            Path path = folder.resolve(name);
            try {
                Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException failure) {
                if (!Files.isDirectory(path)) throw failure;
                // A folder that lies there is none of ours: it is put aside.
                Files.move(path, folder.resolve(name + ".folder"),
                        StandardCopyOption.ATOMIC_MOVE);
                Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
            }
            sync(folder);
        }

        private FileChannel create(Path path) throws IOException {
            try {
                return open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException left) {
                // What a kill has left.
                Files.delete(path);
                return open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            }
        }

        boolean remove(String name) {
            try {
                Files.deleteIfExists(folder.resolve(name));
                return true;
            } catch (IOException failure) {
                return false;
            }
        }

        /** A new file that is appended to. */
        FileChannel create(String name) throws IOException {
            return open(folder.resolve(name), StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.APPEND);
        }

        static void append(byte[] bytes, FileChannel file) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                if (file.write(buffer) == 0) throw new IOException("nothing is written");
            }
        }

        void sync(String name) throws IOException {
            sync(folder.resolve(name));
        }

        private static void sync(Path path) throws IOException {
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                file.force(true);
            }
        }
    }

    /** The segments and the ledger of an installation. A change of the ledger is one step. */
    private static final class Journal {
        private static final String LEDGER = "ledger";
        private static final byte[] COMPLETION =
                "{\"name\":\"content.complete\"".getBytes(StandardCharsets.UTF_8);

        interface Step {
            void apply(Ledger ledger) throws IOException;
        }

        private final Disk disk;
        /** Bytes of lines that wait and are not frozen. */
        private final int limit;
        private final byte[] resource;
        Ledger ledger = new Ledger(newID());
        /** Those with something that waits or is pinned, and the current one; in order. */
        private List<Segment> segments = new ArrayList<>();
        /** The numbers of all segments that the folder had when it was last looked at. */
        private List<Long> present = new ArrayList<>();
        /** The segment that is appended to; null for none. */
        private FileChannel current;
        private long currentNumber;
        /** The ledger's text as it was last read or written. */
        private byte[] text = new byte[0];
        /** Segments of this process: its own clock has made their times. */
        private final Set<Long> owned = new HashSet<>();
        private long highest;
        /** Events that could not be written, to be told by the next line that can. */
        long unwritten;

        Journal(Disk disk, int limit, byte[] resource) throws IOException {
            this.disk = disk;
            this.limit = limit;
            this.resource = resource;
            disk.makeFolder();
            byte[] text = disk.content(LEDGER);
            present = disk.numbers();
            Ledger found = text == null ? null : Ledger.read(text);
            if (found == null) {
                begin();
            } else {
                ledger = found;
                this.text = text;
                scan();
            }
            checkFrozen();
        }

        static String newID() {
            return UUID.randomUUID().toString();
        }

        /** What waits and is not frozen. */
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
            return isPending() || ledger.unreported > 0 || unwritten > 0 || !waiting().isUsed();
        }

        private Segment segment(long number) {
            for (Segment segment : segments) {
                if (segment.number == number) return segment;
            }
            return null;
        }

        // Steps

        /**
         * One atomic step: what {@code change} makes of the ledger is on the disk when this
         * returns. Where it throws nothing has changed, or the next step finds that it has.
         */
        void step(Step change) throws IOException {
            disk.makeFolder();
            refresh();
            Ledger next = ledger.copy();
            change.apply(next);
            if (Arrays.equals(next.text(), ledger.text())) return;
            // Counted before the step: a segment that could not be read after it would seem empty.
            List<Segment> counted = new ArrayList<>();
            for (Segment segment : segments) {
                Segment copy = segment.copy();
                Integer cursor = next.cursors.get(segment.number);
                if (cursor != null && !cursor.equals(ledger.cursors.get(segment.number))) {
                    byte[] bytes = content(segment.number);
                    copy.count(bytes == null ? new byte[0] : bytes, cursor);
                }
                counted.add(copy);
            }
            write(next);
            segments = counted;
            if (currentNumber < ledger.floor) closeCurrent();
            removeUsed();
        }

        /** Takes over a step that failed after its rename, or makes up for deleted files. */
        private void refresh() throws IOException {
            byte[] text = disk.content(LEDGER);
            present = disk.numbers();
            Ledger found = text == null || Arrays.equals(text, this.text) ? null
                    : Ledger.read(text);
            if (found == null) {
                loseMissing(Arrays.equals(text, this.text));
                return;
            }
            Ledger known = ledger;
            List<Segment> knownSegments = segments;
            byte[] knownText = this.text;
            ledger = found;
            this.text = text;
            try {
                scan();
            } catch (IOException failure) {
                // Half of the segments would be taken for all of them.
                ledger = known;
                segments = knownSegments;
                this.text = knownText;
                throw failure;
            }
            Integer cursor = known.cursors.get(currentNumber);
            if (currentNumber < ledger.floor
                    || cursor != null && !cursor.equals(ledger.cursors.get(currentNumber))) {
                closeCurrent();
                removeUsed();
            }
        }

        private void write(Ledger next) throws IOException {
            next.serial++;
            long first = present.isEmpty() ? Math.max(highest, next.highestSegment()) + 1
                    : present.get(0);
            next.floor = Math.max(next.floor, first);
            next.cursors.keySet().removeIf(
                    number -> number < next.floor || !present.contains(number));
            byte[] text = next.text();
            disk.replace(LEDGER, text);
            this.text = text;
            ledger = next;
        }

        // Reading

        /**
         * A first ledger. Where there was one that cannot be read, what waits beside it may have
         * been sent: it is dropped and counted.
         */
        private void begin() throws IOException {
            Ledger next = new Ledger(newID());
            TreeMap<Long, Integer> ends = new TreeMap<>();
            Segment waiting = countAll(next, ends);
            next.lose(waiting.events + waiting.drops);
            next.cursors = ends;
            write(next);
            scan();
        }

        /** What waits in all segments that the folder has, and where they end. */
        private Segment countAll(Ledger ledger, TreeMap<Long, Integer> ends) throws IOException {
            Segment sum = new Segment(0);
            for (long number : present) {
                byte[] bytes = number < ledger.floor ? null : content(number);
                if (bytes == null) continue;
                Segment segment = new Segment(number);
                segment.count(bytes, cursor(ledger, number, bytes));
                sum.events += segment.events;
                sum.drops += segment.drops;
                ends.put(number, segment.size);
            }
            return sum;
        }

        private static int cursor(Ledger ledger, long number, byte[] bytes) {
            Integer cursor = ledger.cursors.get(number);
            if (cursor != null) return cursor;
            Line header = Segment.resource(bytes);
            return header == null ? 0 : header.end;
        }

        /** Reads all segments anew, as the ledger has them. */
        private void scan() throws IOException {
            List<Segment> found = new ArrayList<>();
            List<Segment> unreadable = new ArrayList<>();
            for (long number : present) {
                if (number < ledger.floor) {
                    disk.remove(Segment.name(number));
                    continue;
                }
                byte[] bytes = content(number);
                if (bytes == null) continue;
                Segment segment = new Segment(number);
                segment.count(bytes, cursor(ledger, number, bytes));
                found.add(segment);
                if (Segment.resource(bytes) == null && !segment.isUsed()) unreadable.add(segment);
                if (segment.events > 0) rememberCompletions(bytes, segment);
            }
            segments = found;
            if (!found.isEmpty()) highest = Math.max(highest, found.get(found.size() - 1).number);
            if (!unreadable.isEmpty()) {
                Ledger next = ledger.copy();
                for (Segment segment : unreadable) {
                    next.lose(segment.events + segment.drops);
                    next.skip(Cut.at(segment.number, segment.size));
                }
                write(next);
                for (Segment segment : unreadable) segment.clear();
            }
            removeUsed();
        }

        /** Contents whose completion waits: the ledger has not yet seen them. */
        private void rememberCompletions(byte[] bytes, Segment segment) {
            int start = cursor(ledger, segment.number, bytes);
            for (Line line : Line.read(bytes, start, bytes.length)) {
                if (line.kind != Line.EVENT || !isCompletion(bytes, line.text())) continue;
                Map<?, ?> event = Json.event(bytes, line.text());
                if (event == null) continue;
                Object attributes = event.get("attributes");
                Object id = attributes instanceof Map ? ((Map<?, ?>) attributes).get("content.id")
                        : null;
                if (id instanceof String) ledger.complete((String) id);
            }
        }

        private static boolean isCompletion(byte[] bytes, Range text) {
            int end = Math.min(text.end, text.start + COMPLETION.length);
            return Arrays.equals(COMPLETION, Arrays.copyOfRange(bytes, text.start, end));
        }

        /** A frozen batch whose lines are not whole any more is never sent: it is dropped. */
        private void checkFrozen() throws IOException {
            Frozen frozen = ledger.frozen;
            if (frozen == null) return;
            byte[] bytes = content(frozen.segment);
            if (bytes != null && isWhole(frozen, bytes)) return;
            Ledger next = ledger.copy();
            next.refuse();
            write(next);
            removeUsed();
        }

        private static boolean isWhole(Frozen frozen, byte[] bytes) {
            Cut cut = Cut.of(frozen, bytes);
            return cut.events().size() == frozen.events && cut.end() == frozen.end
                    && Segment.resource(bytes) != null;
        }

        private byte[] content(long number) throws IOException {
            return disk.content(Segment.name(number));
        }

        /** Counts what waited in a segment that was damaged or deleted since it was counted. */
        private void lose(Segment segment, Ledger ledger) {
            ledger.lose(segment.events + segment.drops);
            ledger.skip(Cut.at(segment.number, segment.size));
            // What is appended to it could not be read either.
            if (segment.number == currentNumber) closeCurrent();
        }

        /** Counts what was in segments that are gone, and writes a ledger anew that is. */
        private void loseMissing(boolean isLedgerWhole) throws IOException {
            Ledger next = ledger.copy();
            boolean isMissing = false;
            for (Segment segment : segments) {
                if (present.contains(segment.number)) continue;
                isMissing = true;
                next.lose(segment.events + segment.drops);
                if (next.frozen != null && next.frozen.segment == segment.number) next.refuse();
                if (next.undone != null && next.undone.segment == segment.number) {
                    next.loseUndone();
                }
            }
            if (!isLedgerWhole || isMissing) write(next);
            segments.removeIf(segment -> !present.contains(segment.number));
            if (!present.contains(currentNumber)) closeCurrent();
        }

        /** Removes segments with nothing left in them; those that stay are tried again later. */
        private void removeUsed() {
            segments.removeIf(segment -> {
                boolean isNeeded = segment.number >= ledger.floor
                        && (current != null && segment.number == currentNumber
                                || ledger.pins(segment.number) || !segment.isUsed());
                return !isNeeded && disk.remove(Segment.name(segment.number));
            });
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
        }

        /** Where this throws, {@code lines} is what of them is not appended. */
        private void tryAppend(Lines lines) throws IOException {
            if (unwritten > 0) {
                Lines lost = new Lines();
                lost.drop(unwritten);
                lines.prepend(lost);
                unwritten = 0;
            }
            if (lines.isEmpty()) return;
            makeRoom(lines.size());
            openCurrent(lines.size());
            Segment segment = segment(currentNumber);
            try {
                Disk.append(lines.bytes(), current);
            } catch (IOException failure) {
                keepWritten(lines, segment);
                throw failure;
            }
            segment.add(lines);
        }

        /**
         * After a write that failed its whole lines are appended. A half one must not become the
         * beginning of another; where it cannot be cut off it stays the last of its segment.
         */
        private void keepWritten(Lines lines, Segment segment) {
            try {
                int end = (int) current.size();
                segment.add(lines.removeFirst(
                        Math.min(Math.max(0, end - segment.size), lines.size())));
                if (end != segment.size) current.truncate(segment.size);
            } catch (IOException failure) {
                closeCurrent();
            }
        }

        private void openCurrent(int count) throws IOException {
            if (current != null) {
                int size = segment(currentNumber).size;
                int bound = Math.min(Math.max(limit / 8, 16_384), 131_072);
                if (!disk.exists(Segment.name(currentNumber))) {
                    // The folder was deleted.
                    step(ledger -> {});
                } else if (size + count <= bound || size < 4096) {
                    return;
                }
            }
            beginSegment();
            removeUsed();
        }

        private void beginSegment() throws IOException {
            closeCurrent();
            disk.makeFolder();
            refresh();
            long last = present.isEmpty() ? 0 : present.get(present.size() - 1);
            long number = Math.max(Math.max(highest, last), ledger.highestSegment()) + 1;
            Bytes header = new Bytes();
            Line.append(Line.RESOURCE, resource, header);
            FileChannel file = disk.create(Segment.name(number));
            try {
                Disk.append(header.toByteArray(), file);
            } catch (IOException failure) {
                file.close();
                disk.remove(Segment.name(number));
                throw failure;
            }
            current = file;
            currentNumber = number;
            highest = number;
            owned.add(number);
            Segment segment = new Segment(number);
            segment.size = header.size();
            segments.add(segment);
        }

        private void closeCurrent() {
            try {
                if (current != null) current.close();
            } catch (IOException unheard) {
                // What is not on the disk is synced before it is frozen.
            }
            current = null;
            currentNumber = 0;
        }

        /** Drops the oldest of what waits until so many bytes more are within the bound. */
        private void makeRoom(int count) throws IOException {
            int before = waiting().bytes;
            while (before + count > limit) {
                Segment oldest = null;
                for (Segment segment : segments) {
                    if (oldest == null && segment.bytes > 0) oldest = segment;
                }
                if (oldest == null) return;
                long number = oldest.number;
                step(ledger -> dropOldest(number, ledger));
                int after = waiting().bytes;
                if (after >= before) return;
                before = after;
            }
        }

        private void dropOldest(long number, Ledger ledger) throws IOException {
            Segment segment = segment(number);
            if (segment == null) return;
            byte[] bytes = content(number);
            if (bytes == null) {
                lose(segment, ledger);
            } else {
                ledger.drop(Cut.of(number, bytes, cursor(ledger, number, bytes), segment.size,
                        limit / 8));
            }
        }

        /** What was appended is on the disk when this returns. */
        void sync() throws IOException {
            if (current != null) current.force(true);
        }

        // Batches

        interface Fit {
            /** How large a text is when it is sealed, as a quotient of what it may be. */
            double excess(byte[] text);
        }

        /** Makes a batch of the oldest events that wait, of one process: synced, then frozen. */
        void freeze(Fit fit) throws IOException {
            if (unwritten > 0) append(new Lines());
            if (current == null && waiting().events == 0) beginSegment();
            sync();
            step(ledger -> {
                if (ledger.frozen != null) return;
                choose(fit, ledger);
                // Before the step: what is frozen may be posted.
                if (ledger.frozen != null && ledger.frozen.segment != currentNumber) {
                    disk.sync(Segment.name(ledger.frozen.segment));
                }
            });
        }

        private void choose(Fit fit, Ledger ledger) throws IOException {
            if (ledger.undone != null) {
                Undone rest = ledger.undone;
                byte[] bytes = content(rest.segment);
                if (bytes == null) bytes = new byte[0];
                Cut cut = Cut.of(rest.segment, bytes, rest.start, rest.end, rest.cap,
                        Cut.MAX_BYTES, true);
                if (freeze(cut, bytes, fit, ledger)) return;
                ledger.loseUndone();
            }
            for (Segment segment : segments) {
                byte[] bytes = content(segment.number);
                if (bytes == null || Segment.resource(bytes) == null) {
                    lose(segment, ledger);
                    continue;
                }
                while (true) {
                    Cut cut = Cut.of(segment.number, bytes, cursor(ledger, segment.number, bytes),
                            segment.size, Cut.MAX_BYTES);
                    if (cut.lines.isEmpty()) break;
                    if (freeze(cut, bytes, fit, ledger)) return;
                }
            }
            // With no event waiting a count goes alone.
            if (ledger.unreported > 0 && current != null) {
                ledger.freeze(Cut.at(currentNumber, segment(currentNumber).size), newID());
            }
        }

        /** Freezes what of a cut fits; false where no event does: what it has is used up then. */
        private boolean freeze(Cut whole, byte[] bytes, Fit fit, Ledger ledger) {
            Cut cut = whole;
            int count = cut.events().size();
            while (count > 0) {
                byte[] text = preview(cut, bytes, ledger);
                double excess = fit.excess(text);
                if (excess <= 1) {
                    ledger.freeze(cut, newID());
                    return true;
                }
                if (count == 1) {
                    // One that no body can carry.
                    if (!cut.isUndone) ledger.drop(cut);
                    return false;
                }
                count = Math.max(1, Math.min(count - 1, (int) (count / excess * 0.97)));
                cut = cut.prefix(count);
            }
            if (!cut.isUndone) ledger.skip(cut);
            return false;
        }

        private byte[] preview(Cut cut, byte[] bytes, Ledger ledger) {
            Ledger next = ledger.copy();
            next.freeze(cut, newID());
            return text(next.frozen, cut, bytes, next.installation, 0);
        }

        interface SentAt {
            long time(boolean isOwn);
        }

        /** The text of the batch on its way; null where it cannot be read any more. */
        byte[] frozenText(SentAt sentAt) throws IOException {
            Frozen frozen = ledger.frozen;
            byte[] bytes = content(frozen.segment);
            if (bytes == null || !isWhole(frozen, bytes)) return null;
            return text(frozen, Cut.of(frozen, bytes), bytes, ledger.installation,
                    sentAt.time(owned.contains(frozen.segment)));
        }

        private static byte[] text(
                Frozen frozen, Cut cut, byte[] bytes, String installation, long sentAt) {
            Range resource = Segment.resource(bytes).text();
            Bytes out = new Bytes();
            out.add("{\"schema\":1,\"batch_id\":\"" + frozen.batchID + "\",\"sent_at\":" + sentAt
                    + ",\"sequence\":" + frozen.sequence + ",\"dropped_events\":" + frozen.dropped
                    + ",\"resource\":{\"app.installation.id\":\"" + installation + "\",");
            out.add(bytes, resource.start + 1, resource.end);
            out.add(",\"events\":[");
            String comma = "";
            for (Range event : cut.events()) {
                out.add(comma).add(bytes, event.start, event.end);
                comma = ",";
            }
            return out.add("]}").toByteArray();
        }

        /** The names of the events of the batch on its way. */
        List<String> frozenNames() {
            List<String> names = new ArrayList<>();
            try {
                byte[] bytes = ledger.frozen == null ? null : content(ledger.frozen.segment);
                if (bytes == null) return names;
                for (Range range : Cut.of(ledger.frozen, bytes).events()) {
                    Map<?, ?> event = Json.event(bytes, range);
                    names.add(event == null ? "?" : String.valueOf(event.get("name")));
                }
            } catch (IOException unread) {
                // The log has no verdicts then; the account needs no names.
            }
            return names;
        }

        /** Deletes what waits. {@code isEnabled}: null leaves it. */
        void wipe(boolean forgets, Boolean isEnabled) throws IOException {
            long lost = unwritten;
            step(ledger -> {
                TreeMap<Long, Integer> ends = new TreeMap<>();
                Segment waiting = countAll(ledger, ends);
                long events = waiting.events + ledger.pinnedEvents();
                if (forgets) {
                    ledger.forget(events, waiting.drops + lost, ends, newID());
                } else {
                    ledger.wipe(events, waiting.drops + lost, ends);
                }
                if (isEnabled != null) ledger.isEnabled = isEnabled;
            });
            unwritten = 0;
            closeCurrent();
            removeUsed();
        }
    }

    // MARK: Uploads

    /** How long nothing is posted after a failure (client.md §5); milliseconds. */
    private static final class Backoff {
        static final long MAX_ASKED = 86_400_000;
        static final long MAX_WAIT = MAX_ASKED / 4 * 5;

        /** {@code asked}: what Retry-After says, -1 for nothing; {@code draw}: 0 to 1. */
        static long wait(Options options, long failures, boolean isHold, long asked, double draw) {
            long least = options.hold;
            long own = stretched(options.hold, draw);
            if (!isHold) {
                int doublings = (int) Math.min(failures - 1, 20);
                long most = Math.min(options.backoff << doublings, options.backoffCap);
                own = most - (long) (most / 2.0 * draw);
                least = own;
            }
            return asked > least ? stretched(Math.min(asked, MAX_ASKED), draw) : own;
        }

        /** Up to a quarter more. */
        static long stretched(long wait, double draw) {
            return wait + (long) (wait / 4.0 * draw);
        }
    }

    /** What came of an attempt: an answer, or why there is none (null where there is one). */
    private record Reply(
            String failure, int status, Map<String, String> fields, byte[] body) {
        static final int MAX_LENGTH = 65_536;
        private static final DateTimeFormatter DATE =
                DateTimeFormatter.ofPattern("dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

        static Reply failed(String reason) {
            return new Reply(reason, 0, Collections.emptyMap(), new byte[0]);
        }

        String mediaType() {
            String type = fields.getOrDefault("content-type", "");
            int end = type.indexOf(';');
            return (end < 0 ? type : type.substring(0, end)).trim().toLowerCase(Locale.ROOT);
        }

        /** What Retry-After says, in ms; -1 where it is absent, malformed or past. */
        long asked(long now) {
            String field = fields.getOrDefault("retry-after", "");
            if (field.matches("[0-9]+")) {
                long seconds = decimal(field);
                if (seconds < 0 || seconds > Backoff.MAX_ASKED / 1000) return Backoff.MAX_ASKED;
                return seconds == 0 ? -1 : 1000 * seconds;
            }
            long moment = date(field);
            if (moment < 0) return -1;
            long base = date(fields.getOrDefault("date", ""));
            long wait = moment - (base < 0 ? now : base);
            return wait > 0 ? Math.min(wait, Backoff.MAX_ASKED) : -1;
        }

        /** {@code Sun, 06 Nov 1994 08:49:37 GMT}; the day of the week is nobody's business. */
        private static long date(String text) {
            if (!text.matches("[A-Za-z]{3}, .+")) return -1;
            try {
                return 1000 * LocalDateTime.parse(text.substring(5), DATE)
                        .toEpochSecond(ZoneOffset.UTC);
            } catch (DateTimeException malformed) {
                return -1;
            }
        }
    }

    /** What an answer means (client.md §5): networks answer for servers that they hide. */
    private static final class Answer {
        enum Kind { STORED, DROP, HOLD, SPLIT, RETRY, RETRY_SMALLER, UNUSABLE }

        /** Codes by their status: anything else is not our server's word. */
        private static final Map<String, Kind> CODES = new LinkedHashMap<>();

        static {
            codes(Kind.DROP, "400 undecodable", "400 malformed-json", "415 unsupported-media-type",
                    "415 unsupported-encoding", "422 unsupported-schema", "422 invalid-batch",
                    "422 invalid-resource", "422 invalid-device-id");
            codes(Kind.HOLD, "400 bad-request", "401 unauthorized", "401 unknown-key",
                    "403 revoked-key", "403 forbidden", "403 plain-not-allowed", "404 unknown-app",
                    "404 not-found", "405 method-not-allowed", "414 uri-too-long",
                    "417 expectation-failed", "431 header-too-large", "501 not-implemented",
                    "505 version-not-supported");
            codes(Kind.SPLIT, "413 body-too-large", "413 inflated-too-large",
                    "413 too-many-events");
            codes(Kind.RETRY_SMALLER, "408 request-timeout");
            codes(Kind.RETRY, "429 rate-limited", "500 internal-error", "503 overloaded",
                    "503 shutting-down", "503 clock-unset", "507 storage-full");
        }

        private static void codes(Kind kind, String... codes) {
            for (String code : codes) CODES.put(code, kind);
        }

        final Kind kind;
        /** The code, or what was wrong with the answer. */
        final String reason;
        final String detail;
        /** Of STORED: how many events are not, and the code and detail of the first ones. */
        long rejected;
        final Map<Long, String> verdicts = new LinkedHashMap<>();

        private Answer(Kind kind, String reason, String detail) {
            this.kind = kind;
            this.reason = reason;
            this.detail = detail;
        }

        static Answer judge(Reply reply, String batchID, boolean isDryRun) {
            Object body = Json.read(reply.body);
            Map<?, ?> members = body instanceof Map ? (Map<?, ?>) body : Collections.emptyMap();
            if (reply.status == 200) return stored(reply, members, batchID, isDryRun);
            String name = text(members.get("code"));
            Kind kind = CODES.get(reply.status + " " + name);
            if (kind == null || !reply.mediaType().equals("application/problem+json")) {
                return unusable("status " + reply.status + " without a code of the protocol");
            }
            return new Answer(kind, name, text(members.get("detail")));
        }

        private static Answer stored(
                Reply reply, Map<?, ?> members, String batchID, boolean isDryRun) {
            boolean isOurs = reply.mediaType().equals("application/json")
                    && members.get("accepted") instanceof Long
                    && members.get("rejected") instanceof Long
                    && (isDryRun || !Boolean.TRUE.equals(members.get("dry_run")));
            if (!isOurs) return unusable("status 200, but not the answer of a sojourn server");
            if (!batchID.equals(members.get("batch_id"))) {
                return unusable("status 200, but for another batch");
            }
            Answer answer = new Answer(Kind.STORED, "", "");
            answer.rejected = (Long) members.get("rejected");
            if (members.get("rejections") instanceof List) {
                for (Object element : (List<?>) members.get("rejections")) {
                    if (!(element instanceof Map)) continue;
                    Map<?, ?> one = (Map<?, ?>) element;
                    if (!(one.get("index") instanceof Long)) continue;
                    answer.verdicts.put((Long) one.get("index"),
                            text(one.get("code")) + " " + text(one.get("detail")));
                }
            }
            return answer;
        }

        private static Answer unusable(String reason) {
            return new Answer(Kind.UNUSABLE, reason, "");
        }

        private static String text(Object value) {
            return value instanceof String ? (String) value : "";
        }
    }

    /** Compresses and seals batches as their profile wants it, anew at each attempt. */
    private static final class Sealer {
        private static final int MAX_BODY = 65_535;
        private static final SecureRandom RANDOM = new SecureRandom();

        private final Key key;
        /** Of jwe: the server's key. */
        private ECPublicKey serverKey;
        /** Header fields of a request. */
        final List<String> fields = new ArrayList<>();

        Sealer(Key key) throws GeneralSecurityException {
            this.key = key;
            if (!key.id.matches("[A-Za-z0-9_-]{1,32}")) throw new IllegalArgumentException();
            if (key.secret != null) {
                if (key.secret.length != 32) throw new IllegalArgumentException();
                fields.add("Content-Type: application/json");
                fields.add("Content-Encoding: gzip, aes128gcm");
            } else {
                serverKey = publicKey(key.jwk);
                if (!key.token.matches("[!-~]+")) throw new IllegalArgumentException();
                fields.add("Content-Type: application/jose");
                fields.add("Authorization: Bearer " + key.token);
            }
            // A key that cannot seal is known at the start, and the ciphers are loaded by then.
            seal(new byte[0]);
        }

        double excess(byte[] text) {
            // base64url, and a header of some 300 characters.
            int room = serverKey == null ? MAX_BODY - 128 : (MAX_BODY - 1024) / 4 * 3;
            return (double) compress(text).length / room;
        }

        byte[] seal(byte[] text) throws GeneralSecurityException {
            byte[] packed = compress(text);
            return serverKey == null ? contentCoding(packed) : compact(packed);
        }

        private byte[] compress(byte[] text) {
            Bytes out = new Bytes();
            Deflater raw = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
            try (OutputStream packing = serverKey == null ? new GZIPOutputStream(out)
                    : new DeflaterOutputStream(out, raw)) {
                packing.write(text);
            } catch (IOException never) {
                throw new IllegalStateException(never);
            } finally {
                raw.end();
            }
            return out.toByteArray();
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

        /** RFC 8188, in one record. */
        private byte[] contentCoding(byte[] plain) throws GeneralSecurityException {
            byte[] salt = random(16);
            byte[] prk = hmac(salt, key.secret);
            byte[] record = Arrays.copyOf(plain, plain.length + 1);
            record[plain.length] = 2;
            byte[] sealed = gcm(expand(prk, "aes128gcm", 16), expand(prk, "nonce", 12),
                    new byte[0], record);
            byte[] id = key.id.getBytes(StandardCharsets.UTF_8);
            ByteBuffer out = ByteBuffer.allocate(21 + id.length + sealed.length);
            out.put(salt).putInt(Math.max(18, sealed.length)).put((byte) id.length).put(id);
            return out.put(sealed).array();
        }

        /** One block of HKDF (RFC 5869). */
        private static byte[] expand(byte[] prk, String what, int count)
                throws GeneralSecurityException {
            byte[] info = new Bytes().add("Content-Encoding: " + what + "\0\1").toByteArray();
            return Arrays.copyOf(hmac(prk, info), count);
        }

        private static byte[] hmac(byte[] key, byte[] text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text);
        }

        /** RFC 7516: ECDH-ES directly, A128GCM, deflated. */
        private byte[] compact(byte[] plain) throws GeneralSecurityException {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair ephemeral = generator.generateKeyPair();
            KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
            agreement.init(ephemeral.getPrivate());
            agreement.doPhase(serverKey, true);
            byte[] contentKey = concatKDF(agreement.generateSecret());
            ECPoint point = ((ECPublicKey) ephemeral.getPublic()).getW();
            String header = base64url(("{\"alg\":\"ECDH-ES\",\"enc\":\"A128GCM\",\"kid\":\""
                    + key.id + "\",\"zip\":\"DEF\",\"epk\":{\"kty\":\"EC\",\"crv\":\"P-256\","
                    + "\"x\":\"" + coordinate(point.getAffineX()) + "\",\"y\":\""
                    + coordinate(point.getAffineY()) + "\"}}").getBytes(StandardCharsets.UTF_8));
            byte[] nonce = random(12);
            byte[] sealed = gcm(contentKey, nonce, header.getBytes(StandardCharsets.US_ASCII),
                    plain);
            int end = sealed.length - 16;
            return String.join(".", header, "", base64url(nonce),
                    base64url(Arrays.copyOf(sealed, end)),
                    base64url(Arrays.copyOfRange(sealed, end, sealed.length)))
                    .getBytes(StandardCharsets.US_ASCII);
        }

        /** One round of Concat KDF (RFC 7518 §4.6.2). */
        private static byte[] concatKDF(byte[] shared) throws GeneralSecurityException {
            byte[] otherInfo = new Bytes().add(new byte[] {0, 0, 0, 7}).add("A128GCM")
                    .add(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 128}).toByteArray();
            byte[] round = new Bytes().add(new byte[] {0, 0, 0, 1}).add(shared).add(otherInfo)
                    .toByteArray();
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(round), 16);
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
            Object read = Json.read(jwk.getBytes(StandardCharsets.UTF_8));
            Map<?, ?> members = read instanceof Map ? (Map<?, ?>) read : Collections.emptyMap();
            if (!"EC".equals(members.get("kty")) || !"P-256".equals(members.get("crv"))) {
                throw new IllegalArgumentException();
            }
            AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
            curve.init(new ECGenParameterSpec("secp256r1"));
            ECPoint point = new ECPoint(number(members.get("x")), number(members.get("y")));
            return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(
                    new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class)));
        }

        private static BigInteger number(Object member) {
            byte[] bytes = Base64.getUrlDecoder().decode(String.valueOf(member));
            if (bytes.length != 32) throw new IllegalArgumentException();
            return new BigInteger(1, bytes);
        }
    }

    /**
     * Posts bodies over a socket of its own: the system's clients follow redirects, keep cookies,
     * or cannot be called off while they connect. At most 64 KiB of an answer are read.
     */
    private static final class Poster {
        private final URI address;
        private final String head;
        private final int timeout;

        Poster(String server, String app, List<String> fields, Options options) {
            String base = server.replaceAll("/+$", "");
            address = URI.create(base + "/v1/apps/" + app + "/batches"
                    + (options.debug ? "?dry_run=1" : ""));
            boolean isHTTP = "http".equals(address.getScheme())
                    || "https".equals(address.getScheme());
            if (!isHTTP || address.getHost() == null || !app.matches("[A-Za-z0-9_-]{1,32}")) {
                throw new IllegalArgumentException();
            }
            String target = address.getRawPath()
                    + (address.getRawQuery() == null ? "" : "?" + address.getRawQuery());
            head = "POST " + target + " HTTP/1.1\r\nHost: " + address.getRawAuthority()
                    + "\r\nUser-Agent: sojourn-java/" + SDK_VERSION
                    + "\r\nConnection: close\r\n" + String.join("\r\n", fields)
                    + "\r\nContent-Length: ";
            // The machine gives an attempt up first.
            timeout = (int) options.attempt + 1000;
        }

        Posting post(byte[] body, Consumer<Reply> finish) {
            Posting posting = new Posting(body, finish);
            Thread thread = new Thread(posting, "sojourn-post");
            thread.setDaemon(true);
            try {
                thread.start();
            } catch (OutOfMemoryError none) {
                posting.finish(Reply.failed("no thread"));
            }
            return posting;
        }

        /** A request that can be called off. */
        private final class Posting implements Runnable {
            private final byte[] body;
            private final Consumer<Reply> finish;
            private final AtomicBoolean isFinished = new AtomicBoolean();
            private Socket socket;
            private boolean isCancelled;

            Posting(byte[] body, Consumer<Reply> finish) {
                this.body = body;
                this.finish = finish;
            }

            /** With a connection it is over when that is closed; before there is one, at once. */
            synchronized void cancel() {
                isCancelled = true;
                if (socket == null) {
                    finish(Reply.failed("cancelled"));
                } else {
                    close(socket);
                }
            }

            private void finish(Reply reply) {
                if (isFinished.compareAndSet(false, true)) finish.accept(reply);
            }

            @Override public void run() {
                Reply reply;
                try {
                    reply = exchange(connected());
                } catch (IOException | RuntimeException failure) {
                    reply = Reply.failed("no answer (" + failure.getClass().getSimpleName() + ")");
                }
                synchronized (this) {
                    if (socket != null) close(socket);
                }
                finish(reply);
            }

            private synchronized Socket begin() throws IOException {
                if (isCancelled) throw new IOException("cancelled");
                if (socket != null) close(socket);
                socket = new Socket();
                return socket;
            }

            private Socket connected() throws IOException {
                boolean isTLS = "https".equals(address.getScheme());
                int port = address.getPort() >= 0 ? address.getPort() : isTLS ? 443 : 80;
                String host = address.getHost();
                IOException last = null;
                for (InetAddress one : InetAddress.getAllByName(host)) {
                    Socket plain = begin();
                    try {
                        plain.connect(new InetSocketAddress(one, port), timeout);
                        plain.setSoTimeout(timeout);
                        plain.setTcpNoDelay(true);
                        return isTLS ? secured(plain, host, port) : plain;
                    } catch (IOException failure) {
                        last = failure;
                    }
                }
                throw last == null ? new IOException("no address") : last;
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
                OutputStream out = connection.getOutputStream();
                out.write(new Bytes().add(head + body.length + "\r\n\r\n").add(body)
                        .toByteArray());
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

    /** Reads an answer (RFC 9112): 64 KiB of header at most, and 64 KiB of body. */
    private static final class AnswerReader {
        private final InputStream in;
        private int headerLength;

        AnswerReader(InputStream in) {
            this.in = new BufferedInputStream(in);
        }

        Reply read() throws IOException {
            int status;
            Map<String, String> fields;
            do {
                String line = line();
                if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
                    throw new IOException("not HTTP");
                }
                status = Integer.parseInt(line.substring(9, 12));
                fields = fields();
            } while (status < 200);
            boolean isBare = status == 204 || status == 304;
            return new Reply(null, status, fields, isBare ? new byte[0] : body(fields));
        }

        private Map<String, String> fields() throws IOException {
            Map<String, String> fields = new LinkedHashMap<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                int colon = line.indexOf(':');
                if (colon < 0) continue;
                // A field that comes again is a list.
                fields.merge(line.substring(0, colon).trim().toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).trim(), (a, b) -> a + ", " + b);
            }
            return fields;
        }

        private byte[] body(Map<String, String> fields) throws IOException {
            Bytes body = new Bytes();
            String coding = fields.get("transfer-encoding");
            String length = fields.get("content-length");
            if (coding != null) {
                if (!coding.equalsIgnoreCase("chunked")) throw new IOException("a coding");
                readChunks(body);
            } else if (length != null) {
                long count = decimal(length);
                if (count < 0) throw new IOException("not a length");
                read(count, body);
            } else {
                for (int next = in.read(); next >= 0; next = in.read()) add(next, body);
            }
            return body.toByteArray();
        }

        private void readChunks(Bytes body) throws IOException {
            while (true) {
                String size = line().split(";", 2)[0].trim();
                if (!size.matches("[0-9A-Fa-f]{1,8}")) throw new IOException("not a chunk");
                long count = Long.parseLong(size, 16);
                if (count == 0) break;
                read(count, body);
                if (!line().isEmpty()) throw new IOException("not a chunk");
            }
            while (!line().isEmpty()) { }
        }

        private void read(long count, Bytes body) throws IOException {
            for (long rest = count; rest > 0; rest--) add(next(), body);
        }

        private static void add(int octet, Bytes body) throws IOException {
            if (body.size() == Reply.MAX_LENGTH) throw new IOException("too long");
            body.write(octet);
        }

        private int next() throws IOException {
            int next = in.read();
            if (next < 0) throw new IOException("cut short");
            return next;
        }

        /** A line without its end. All lines together are bounded, those between chunks, too. */
        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = next(); next != '\n'; next = next()) {
                if (++headerLength > Reply.MAX_LENGTH) throw new IOException("too long");
                line.append((char) next);
            }
            int end = line.length();
            return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
        }
    }

    /**
     * What calls, answers and the clock make of sessions, the journal and uploads. Moments are
     * nanoseconds of the monotonic clock; {@link #tick} is called at the one that alarm() names.
     */
    private static final class Machine {
        static final long NEVER = Long.MAX_VALUE;
        private static final long DEBUG_INTERVAL = 1000;
        /** Bytes that wait, from which on they are uploaded in the foreground. */
        private static final int THRESHOLD = 32_768;

        /** {@code finish}: told whether nothing waits; null for the window of a start. */
        private record Window(long deadline, Consumer<Boolean> finish) { }

        private static final class Attempt {
            final int number;
            final boolean isFirst;
            Poster.Posting posting;
            long end;
            boolean isGivenUp;

            Attempt(int number, boolean isFirst, long end) {
                this.number = number;
                this.isFirst = isFirst;
                this.end = end;
            }
        }

        private final Sojourn client;
        private final Options options;
        private final Disk disk;
        private final Sealer sealer;
        private final Poster poster;
        private final Clock clock;
        private final long fingerprint;
        private final Sessions sessions;
        private Journal journal;
        /** When a folder that could not be opened is tried again. */
        private long reopening = NEVER;
        /** What the user has asked for and the disk has not taken yet. */
        private final ArrayDeque<Call> wishes = new ArrayDeque<>();

        private boolean isForeground;
        /** Whether what waits is to go now. */
        private boolean isWanted;
        private boolean hasMore;
        /** A refused batch of a count alone: it goes with the next events. */
        private boolean isCountHeld;
        private final List<Window> windows = new ArrayList<>();
        private Attempt attempt;
        private int attempts;
        /** The batch that was frozen for its first attempt. */
        private String fresh;
        /** When the oldest event that waits was appended. */
        private long oldest = NEVER;
        /** Nothing is posted before. */
        private long next;
        private long wake = NEVER;

        Machine(Sojourn client, Options options, Disk disk, Sealer sealer, Poster poster,
                Clock clock, long fingerprint) {
            this.client = client;
            this.options = options;
            this.disk = disk;
            this.sealer = sealer;
            this.poster = poster;
            this.clock = clock;
            this.fingerprint = fingerprint;
            sessions = new Sessions(options.sessionTimeout);
        }

        boolean isOpen() {
            return journal != null;
        }

        /** Opens the journal. A disk that fails is tried again a second later. */
        void open() {
            reopening = NEVER;
            // A call of the system that fails once is not a disk that fails.
            for (int left = 2; left >= 0; left--) {
                try {
                    journal = new Journal(disk, options.journalLimit, options.resource());
                    begin();
                    return;
                } catch (IOException failure) {
                    if (left == 0) log("the journal cannot be opened", failure);
                }
            }
            reopening = now() + 1000 * MILLISECOND;
        }

        /** What waits from before goes. */
        private void begin() {
            next = now() + MILLISECOND
                    * journal.ledger.wait.remaining(System.currentTimeMillis(), fingerprint);
            if (!journal.ledger.isEnabled) client.inbox.switchOff();
            if (!journal.hasSomething()) return;
            isWanted = true;
            open(new Window(now() + options.budget * MILLISECOND, null));
        }

        /** One line: a server's words begin none of their own. */
        private void log(String line) {
            String start = line.length() > 1000 ? line.substring(0, 1000) : line;
            client.log.accept(start.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]", "?"));
        }

        /** Not the failure's own text, which has the folder's path. */
        private void log(String what, IOException failure) {
            log(what + ": " + failure.getClass().getSimpleName());
        }

        long alarm() {
            long moment = Math.min(reopening, wake);
            if (attempt != null) moment = Math.min(moment, attempt.end);
            for (Window window : windows) moment = Math.min(moment, window.deadline);
            return moment;
        }

        /** Does what is due by the clock. */
        void tick() {
            long now = now();
            if (reopening <= now) open();
            expireWindows(now);
            if (attempt != null && attempt.end <= now) {
                if (attempt.isGivenUp) {
                    posted(attempt.number, Reply.failed("cancelled"));
                } else {
                    giveUp("no answer in time");
                }
            }
            if (wake <= now) {
                wake = NEVER;
                considerUpload();
            }
        }

        Status status() {
            Status status = new Status();
            if (journal == null) return status;
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

        /** Records what was called, in its order. {@code dropped} found no room in memory. */
        void take(Iterable<Call> calls, long dropped) {
            Lines lines = new Lines();
            if (dropped > 0 && journal.ledger.isEnabled) lines.drop(dropped);
            for (Call call : calls) lines = take(call, lines);
            append(lines);
        }

        /** Returns the lines that are still to be appended. */
        private Lines take(Call call, Lines lines) {
            boolean isEnabled = journal.ledger.isEnabled;
            switch (call.kind) {
                case EVENT:
                case OWN:
                    return isEnabled ? record(call, lines) : lines;
                case COMPLETED:
                    if (isEnabled) return complete(call, lines);
                    call.completed(false);
                    return lines;
                case FOREGROUND:
                    isWanted |= journal.hasSomething() || !lines.isEmpty();
                    Lines opened = change(sessions.foreground(call.moment / MILLISECOND), call,
                            lines);
                    isForeground = true;
                    return opened;
                case BACKGROUND:
                    Lines rest = endSession(call, lines);
                    isForeground = false;
                    open(new Window(call.moment + options.budget * MILLISECOND,
                            isDone -> call.done()));
                    return rest;
                case TERMINATE:
                    Lines last = endSession(call, lines);
                    call.done();
                    return last;
                case SYNC:
                    append(lines);
                    call.done();
                    return new Lines();
                default:
                    append(lines);
                    wish(call);
                    call.done();
                    return new Lines();
            }
        }

        private Lines change(String name, Call call, Lines lines) {
            if (name == null || !journal.ledger.isEnabled) return lines;
            return add(name, new Object[0], call.moment, sessions.latest(), lines);
        }

        private Lines endSession(Call call, Lines lines) {
            append(change(sessions.background(call.moment / MILLISECOND), call, lines));
            try {
                journal.sync();
            } catch (IOException failure) {
                log("the journal cannot be synced", failure);
            }
            return new Lines();
        }

        private Lines record(Call call, Lines lines) {
            return record(call.name, call.attributes, call.moment, call.kind == Call.Kind.OWN,
                    lines);
        }

        private Lines record(
                String name, Object[] attributes, long moment, boolean isOwn, Lines lines) {
            String rule = EventRule.broken(name, attributes, isOwn);
            if (rule == null) return add(name, attributes, moment, sessions.current(), lines);
            log((EventRule.isName(name) ? "a call of " + name : "a call") + " is refused: " + rule);
            lines.drop(1);
            return lines;
        }

        private Lines complete(Call call, Lines lines) {
            String name = "content.complete";
            Object[] attributes = {"content.id", call.name};
            append(record(name, attributes, call.moment, false, lines));
            boolean isRecorded = EventRule.broken(name, attributes, false) == null;
            boolean isFirst = isRecorded && journal.ledger.complete(call.name);
            call.completed(isFirst);
            return new Lines();
        }

        private Lines add(
                String name, Object[] attributes, long moment, String session, Lines lines) {
            lines.add(Json.event(name, clock.time(moment), attributes, session));
            if (lines.size() < Math.min(16_384, options.journalLimit / 8)) return lines;
            append(lines);
            return new Lines();
        }

        private void append(Lines lines) {
            if (lines.isEmpty()) return;
            try {
                journal.append(lines);
            } catch (IOException failure) {
                log((lines.events + lines.drops) + " events could not be written", failure);
            }
            oldest = Math.min(oldest, now());
            isCountHeld = false;
        }

        /** Does what the user asks for; where the disk fails nothing is posted until it is done. */
        private void wish(Call call) {
            boolean deletes = call.kind == Call.Kind.FORGET || call.name.equals("off");
            if (deletes) abandonUploads();
            if (call.kind == Call.Kind.FORGET) sessions.forget();
            wishes.add(call);
            for (int left = 3; left > 0 && !fulfilWishes(); left--) { }
        }

        private boolean fulfilWishes() {
            for (Call wish = wishes.peek(); wish != null; wish = wishes.peek()) {
                try {
                    if (wish.kind == Call.Kind.FORGET) {
                        journal.wipe(true, null);
                    } else if (wish.name.equals("off")) {
                        journal.wipe(false, false);
                    } else {
                        journal.step(ledger -> ledger.isEnabled = true);
                    }
                } catch (IOException failure) {
                    log("a wish of the user cannot be noted", failure);
                    return false;
                }
                wishes.remove();
            }
            return true;
        }

        // When an upload is due, and how long it may last

        void flush(long deadline, Consumer<Boolean> then) {
            open(new Window(deadline, then));
        }

        private void open(Window window) {
            // Whoever asks now says how long; a start's own window is over.
            if (window.finish != null) windows.removeIf(old -> old.finish == null);
            windows.add(window);
            considerUpload();
        }

        private void expireWindows(long now) {
            for (Window window : new ArrayList<>(windows)) {
                if (window.deadline > now || !windows.remove(window)) continue;
                boolean isOver = windows.isEmpty() && (window.finish != null || !isForeground);
                if (isOver && attempt != null && !attempt.isGivenUp) {
                    giveUp("the time for it is over");
                }
                if (window.finish != null) window.finish.accept(isDone());
            }
        }

        /** Those whose time is over before something may happen need not wait for it. */
        private void finishWindows(long before) {
            List<Window> over = new ArrayList<>();
            for (Window window : windows) {
                if (window.deadline <= before) over.add(window);
            }
            windows.removeAll(over);
            for (Window window : over) {
                if (window.finish != null) window.finish.accept(isDone());
            }
        }

        private boolean isDone() {
            return journal != null && !journal.hasSomething();
        }

        private void giveUp(String reason) {
            cancel();
            fail(reason, -1, false);
        }

        private void abandonUploads() {
            if (attempt != null && !attempt.isGivenUp) cancel();
            fresh = null;
            isWanted = false;
            hasMore = false;
            oldest = NEVER;
        }

        /** Another attempt may begin when the connection is closed, or an attempt's time later. */
        private void cancel() {
            attempt.isGivenUp = true;
            attempt.end = now() + options.attempt * MILLISECOND;
            attempt.posting.cancel();
        }

        /** Begins an attempt if one is due and may be; otherwise comes back when it is. */
        void considerUpload() {
            if (journal == null) return;
            if (attempt != null) {
                // Nothing more can come of it for those who cannot wait for the next.
                if (attempt.isGivenUp) finishWindows(next);
                return;
            }
            long now = now();
            if (!fulfilWishes()) {
                wake = now + 1000 * MILLISECOND;
                finishWindows(wake);
                return;
            }
            if (!journal.hasSomething() || !journal.ledger.isEnabled) {
                isWanted = false;
                finishWindows(NEVER);
                return;
            }
            if (!isForeground && windows.isEmpty() && !options.debug) return;
            if (!isDue(now)) return;
            if (isCountHeld && !journal.isPending() && journal.waiting().events == 0) {
                finishWindows(NEVER);
                return;
            }
            if (next > now) {
                finishWindows(next);
                wake = next;
                return;
            }
            attempt();
        }

        private boolean isDue(long now) {
            long interval = options.debug ? DEBUG_INTERVAL : options.interval;
            long ripe = Math.min(oldest, now) + interval * MILLISECOND;
            boolean isAsked = false;
            for (Window window : windows) isAsked |= window.finish != null;
            if (isAsked || isWanted || journal.isPending() || ripe <= now
                    || journal.waiting().bytes >= THRESHOLD) {
                return true;
            }
            wake = ripe;
            return false;
        }

        private void attempt() {
            byte[] body = prepare();
            if (body == null) return;
            boolean isFirst = journal.ledger.frozen.batchID.equals(fresh);
            fresh = null;
            int number = ++attempts;
            attempt = new Attempt(number, isFirst, now() + options.attempt * MILLISECOND);
            attempt.posting = poster.post(body, reply -> client.posted(number, reply));
        }

        /** The body of the batch on its way, which is frozen if none is; null for none. */
        private byte[] prepare() {
            try {
                // Learns of files that were deleted.
                journal.step(ledger -> {});
                if (journal.ledger.frozen == null) {
                    journal.freeze(sealer::excess);
                    if (journal.ledger.frozen == null) {
                        wake = now();
                        return null;
                    }
                    fresh = journal.ledger.frozen.batchID;
                    oldest = NEVER;
                }
                hasMore = journal.waiting().events > 0 || journal.ledger.undone != null;
                byte[] text = journal.frozenText(isOwn ->
                        isOwn ? clock.time(now()) : System.currentTimeMillis());
                if (text != null) return sealer.seal(text);
                log("a batch cannot be read any more: its events are dropped");
                journal.step(Ledger::refuse);
                wake = now();
                return null;
            } catch (IOException failure) {
                log("nothing can be uploaded", failure);
            } catch (GeneralSecurityException failure) {
                log("a batch cannot be sealed: " + failure.getClass().getSimpleName());
            }
            // Something of our own is in the way.
            wake = now() + 200 * MILLISECOND;
            finishWindows(wake);
            return null;
        }

        // What an answer does

        /** Takes what came of an attempt; one that is no longer waited for is ignored. */
        void posted(int number, Reply reply) {
            Attempt over = attempt;
            if (over == null || over.number != number) return;
            attempt = null;
            if (!over.isGivenUp) {
                if (reply.failure != null) {
                    fail(reply.failure, -1, false);
                } else {
                    answered(over, reply);
                }
            }
            considerUpload();
        }

        private void answered(Attempt attempt, Reply reply) {
            Frozen frozen = journal.ledger.frozen;
            if (frozen == null) return;
            long asked = reply.asked(System.currentTimeMillis());
            Answer answer = Answer.judge(reply, frozen.batchID, options.debug);
            boolean isSplit = answer.kind == Answer.Kind.SPLIT
                    || answer.kind == Answer.Kind.RETRY_SMALLER && attempt.isFirst;
            if (answer.kind == Answer.Kind.STORED) {
                if (options.debug) tell(answer);
                settle(frozen, ledger -> ledger.settle(answer.rejected));
                isWanted = hasMore;
            } else if (answer.kind == Answer.Kind.DROP) {
                log("a batch of " + frozen.events + " events is refused and dropped: "
                        + answer.reason + ": " + answer.detail);
                settle(frozen, Ledger::refuse);
                isWanted = hasMore;
                isCountHeld = frozen.events == 0;
            } else if (isSplit && frozen.events > 0) {
                // A count alone cannot be split, only sent again: not at once.
                split(frozen, answer.reason, asked);
            } else if (answer.kind == Answer.Kind.UNUSABLE) {
                fail(answer.reason, asked, false);
            } else {
                fail("status " + reply.status + " " + answer.reason, asked,
                        answer.kind == Answer.Kind.HOLD);
            }
        }

        private void tell(Answer answer) {
            long index = 0;
            for (String name : journal.frozenNames()) {
                log("verdict " + name + " " + answer.verdicts.getOrDefault(index, "accepted"));
                index++;
            }
        }

        private void split(Frozen frozen, String code, long asked) {
            log("a batch is too large and is split: " + code);
            long span = asked < 0 ? 0 : Backoff.stretched(asked, draw());
            long until = System.currentTimeMillis() + span;
            settle(frozen, ledger -> {
                ledger.undo();
                if (asked >= 0) ledger.wait = new Wait(ledger.wait.failures, until, span, 0);
            });
            isWanted = true;
            if (asked >= 0) next = now() + span * MILLISECOND;
        }

        /**
         * One step that ends a batch. Where the disk does not take it the batch goes again later,
         * and the server knows it.
         */
        private void settle(Frozen frozen, Journal.Step change) {
            for (int left = 3; left > 0; left--) {
                try {
                    journal.step(ledger -> {
                        boolean isOnItsWay = ledger.frozen != null
                                && ledger.frozen.batchID.equals(frozen.batchID);
                        if (isOnItsWay) change.apply(ledger);
                    });
                    next = 0;
                    return;
                } catch (IOException failure) {
                    log("an answer cannot be noted", failure);
                }
            }
            fail("the journal cannot be written", -1, false);
        }

        /** Waits, and notes it. */
        private void fail(String reason, long asked, boolean isHold) {
            log("an upload failed: " + reason);
            long failures = journal.ledger.wait.failures + 1;
            long span = Backoff.wait(options, failures, isHold, asked, draw());
            next = now() + span * MILLISECOND;
            Wait wait = new Wait(failures, System.currentTimeMillis() + span, span,
                    isHold ? fingerprint : 0);
            try {
                journal.step(ledger -> ledger.wait = wait);
            } catch (IOException failure) {
                log("a failure cannot be noted", failure);
            }
        }

        private static double draw() {
            return Sealer.RANDOM.nextDouble();
        }
    }

    // MARK: JSON

    /** As much of JSON as batches and answers need. */
    private static final class Json {
        private static final int MAX_DEPTH = 16;

        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        static byte[] event(String name, long time, Object[] attributes, String session) {
            Bytes out = new Bytes();
            out.add("{\"name\":");
            write(name, out);
            out.add(",\"time\":" + time + ",\"attributes\":{");
            String comma = "";
            if (session != null) {
                out.add("\"session.id\":");
                write(session, out);
                comma = ",";
            }
            for (int index = 0; index < attributes.length; index += 2) {
                // session.id is the client's: one that is given is replaced.
                if (EventRule.SESSION.equals(attributes[index])) continue;
                out.add(comma);
                write((String) attributes[index], out);
                out.add(":");
                Object value = attributes[index + 1];
                if (value instanceof String) write((String) value, out);
                else out.add(value.toString());
                comma = ",";
            }
            return out.add("}}").toByteArray();
        }

        static void write(String text, Bytes out) {
            StringBuilder escaped = new StringBuilder(text.length() + 2).append('"');
            for (int index = 0; index < text.length(); index++) {
                char unit = text.charAt(index);
                if (unit == '"' || unit == '\\') escaped.append('\\').append(unit);
                else if (unit < 0x20) escaped.append("\\u").append(hex(unit, 4));
                else escaped.append(unit);
            }
            out.add(escaped.append('"').toString());
        }

        /** An event of a segment; null where it is none. */
        static Map<?, ?> event(byte[] bytes, Range range) {
            Object value = read(Arrays.copyOfRange(bytes, range.start, range.end));
            return value instanceof Map ? (Map<?, ?>) value : null;
        }

        /** A Map, List, String, Long, BigInteger, Double, Boolean, or this class for null; null
         * where it is not I-JSON. */
        static Object read(byte[] bytes) {
            try {
                Json json = new Json(StandardCharsets.UTF_8.newDecoder()
                        .decode(ByteBuffer.wrap(bytes)).toString());
                Object value = json.value(1);
                json.skipBlanks();
                return json.at == json.text.length() ? value : null;
            } catch (CharacterCodingException | IllegalArgumentException
                    | IndexOutOfBoundsException malformed) {
                return null;
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
            if (word("null")) return Json.class;
            return number();
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
            need(StandardCharsets.UTF_8.newEncoder().canEncode(whole));
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
            if (digits.length() < 18) return Long.valueOf(digits);
            return new BigInteger(digits);
        }
    }

    // MARK: The judge's adapter

    /** Commands on standard input, one answer each on standard output: for tests alone. */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        BufferedReader in = new BufferedReader(
                new InputStreamReader(System.in, StandardCharsets.UTF_8));
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

        String answer(String line) {
            String[] words = line.split(" ", 2);
            String rest = words.length == 2 ? words[1] : "";
            String[] parts = rest.split(" ", 2);
            String last = parts.length == 2 ? parts[1] : "";
            switch (words[0]) {
                case "start": return start(rest.split(" ", 5), false);
                case "start-jwe": return start(rest.split(" ", 6), true);
                case "foreground": sojourn.foreground(); return "ok";
                case "background": return wait(done -> sojourn.background(() -> done.accept("ok")));
                case "screen": sojourn.screen(rest); return "ok";
                case "count": sojourn.count(last, Math.max(0, decimal(parts[0]))); return "ok";
                case "event": sojourn.event(parts[0], attributes(last)); return "ok";
                case "content": return content(parts[0], last);
                case "video":
                    if (parts[0].equals("enter")) sojourn.video(last).enter();
                    else sojourn.video(last).exit();
                    return "ok";
                case "sync": return wait(done -> sojourn.sync(() -> done.accept("ok")));
                case "flush":
                    return wait(done -> sojourn.flush(Math.max(0, decimal(rest)),
                            isDone -> done.accept(isDone ? "done" : "waiting")));
                case "enable":
                    return wait(done ->
                            sojourn.setEnabled(rest.equals("on"), () -> done.accept("ok")));
                case "forget": return wait(done -> sojourn.forget(() -> done.accept("ok")));
                case "web":
                case "message": return "error unsupported";
                case "bench": return bench((int) Math.max(0, decimal(rest)));
                case "status": return wait(done -> sojourn.status(s -> done.accept(text(s))));
                default: return "error unknown";
            }
        }

        private String start(String[] words, boolean isJWE) {
            if (words.length < (isJWE ? 6 : 5)) return "error unknown";
            Key key;
            try {
                String secret = content(words[3]);
                key = isJWE ? Key.jwe(words[2], secret, content(words[4]))
                        : Key.aes128gcm(words[2], base64url(secret));
            } catch (IOException | IllegalArgumentException failure) {
                return "error unknown";
            }
            File folder = new File(words[words.length - 1]);
            return wait(done -> sojourn.start(words[1], key, words[0], options(), folder,
                    isStarted -> done.accept(isStarted ? "ok" : "error busy")));
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
            return text == null ? otherwise : Math.max(0, decimal(text));
        }

        private static String content(String path) throws IOException {
            byte[] bytes = Files.readAllBytes(new File(path).toPath());
            return new String(bytes, StandardCharsets.UTF_8).trim();
        }

        private static String base64url(String digits) {
            byte[] bytes = new byte[digits.length() / 2];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) Integer.parseInt(digits.substring(2 * at, 2 * at + 2), 16);
            }
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        }

        /** What Java's types cannot say is said by an attribute that breaks the same rule. */
        private static Map<String, Object> attributes(String text) {
            Object value = Json.read(text.getBytes(StandardCharsets.UTF_8));
            Map<String, Object> attributes = new LinkedHashMap<>();
            if (!(value instanceof Map)) return Collections.singletonMap("", false);
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                attributes.put((String) entry.getKey(), entry.getValue());
            }
            return attributes;
        }

        private String content(String word, String id) {
            if (word.equals("completed")) {
                return wait(done -> sojourn.content(id).completed(
                        isFirst -> done.accept(isFirst ? "ok first" : "ok again")));
            }
            sojourn.content(id).viewed();
            return "ok";
        }

        private String bench(int count) {
            for (int n = 0; n < count / 10; n++) sojourn.event("bench", Map.of("n", n));
            long[] times = new long[count];
            for (int n = 0; n < count; n++) {
                long began = System.nanoTime();
                sojourn.event("bench", Map.of("n", n));
                times[n] = System.nanoTime() - began;
            }
            Arrays.sort(times);
            if (count == 0) return "bench 0 0";
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

/** What a batch is sealed with; {@code sojourn key add --for java} prints it. */
final class Key {
    final String id;
    /** Of aes128gcm; null otherwise. */
    final byte[] secret;
    /** Of jwe. */
    final String jwk;
    final String token;

    private Key(String id, byte[] secret, String jwk, String token) {
        this.id = String.valueOf(id);
        this.secret = secret;
        this.jwk = String.valueOf(jwk);
        this.token = String.valueOf(token);
    }

    /** @param secret 32 bytes in base64url; another one is logged at the start. */
    public static Key aes128gcm(String id, String secret) {
        try {
            return new Key(id, Base64.getUrlDecoder().decode(String.valueOf(secret)), null, null);
        } catch (IllegalArgumentException noBase64) {
            return new Key(id, new byte[0], null, null);
        }
    }

    /** ECDH-ES and A128GCM. {@code jwk}: the public key; {@code token}: of scope ingest. */
    public static Key jwe(String id, String jwk, String token) {
        return new Key(id, null, jwk, token);
    }

    /** Of app, key, token and server, so that another one ends a hold; never 0. */
    long fingerprint(String server, String app) throws GeneralSecurityException {
        String own = secret == null ? jwk : Base64.getEncoder().encodeToString(secret);
        String all = String.join("\n", server, app, id, own, token);
        byte[] digest = MessageDigest.getInstance("SHA-256")
                .digest(all.getBytes(StandardCharsets.UTF_8));
        long value = ByteBuffer.wrap(digest).getLong();
        return value == 0 ? 1 : value;
    }
}
