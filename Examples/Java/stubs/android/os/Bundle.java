package android.os;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public final class Bundle { }
