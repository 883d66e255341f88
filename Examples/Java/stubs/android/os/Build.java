package android.os;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public class Build {
    // No constants: a compiler would write these into what is compiled against them.
    public static final String MANUFACTURER = String.valueOf("a maker");
    public static final String MODEL = String.valueOf("a phone");

    /** What Android says of itself. */
    public static class VERSION {
        public static final String RELEASE = String.valueOf("14");
    }
}
