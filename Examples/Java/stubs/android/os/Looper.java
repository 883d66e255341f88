package android.os;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public final class Looper {
    private Looper() { }

    public static Looper getMainLooper() {
        return new Looper();
    }
}
