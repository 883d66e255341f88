package android.net;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public abstract class Uri {
    @Override public abstract String toString();
}
