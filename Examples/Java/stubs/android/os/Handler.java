package android.os;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public class Handler {
    public Handler(Looper looper) { }

    public final boolean post(Runnable task) {
        throw new UnsupportedOperationException();
    }
}
