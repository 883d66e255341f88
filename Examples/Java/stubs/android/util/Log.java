package android.util;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public final class Log {
    private Log() { }

    public static int i(String tag, String line) {
        System.err.println(tag + ": " + line);
        return 0;
    }
}
