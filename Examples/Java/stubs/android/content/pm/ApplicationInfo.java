package android.content.pm;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public class ApplicationInfo {
    public static final int FLAG_DEBUGGABLE = 2;

    public int flags;
}
