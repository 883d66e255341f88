import java.io.File;
import java.util.AbstractMap;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.example.shop.Sojourn.Key;

/** An app that hands in what nobody should. */
public final class Hostile {
    private Hostile() { }

    public static void main(String[] arguments) throws InterruptedException {
        File folder = new File(arguments[0]);
// LINES
        sojourn.screen(null);
        sojourn.count("\ud800", Long.MIN_VALUE);
        sojourn.event(null, null);
        sojourn.event("a", Collections.singletonMap(null, null));
        sojourn.event("a", Collections.singletonMap("k", Double.NaN));
        sojourn.event("a", Collections.singletonMap("k", "\udc00"));
        sojourn.event("a", Collections.singletonMap("k", new Object()));
        sojourn.event("a", huge());
        sojourn.event("a", throwing());
        sojourn.content(null).viewed();
        sojourn.content(null).completed(null);
        sojourn.video("").enter();
        Sojourn.Bridge bridge = sojourn.bridge(null);
        bridge.message(null, true);
        bridge.message("[".repeat(8000), true);
        bridge.decide(null, true);
        bridge.decide("rb:%", false);
        sojourn.start(null, null, null, null);
        sojourn.flush(Long.MAX_VALUE, null);
        sojourn.background(null);
        sojourn.status(null);
        sojourn.status(status -> {
            throw new IllegalStateException("the app's own");
        });
        CountDownLatch over = new CountDownLatch(1);
        sojourn.flush(20_000, isDone -> {
            System.out.println(isDone);
            over.countDown();
        });
        over.await();
    }

    private static Map<String, Object> huge() {
        Map<String, Object> huge = new HashMap<>();
        for (int n = 0; n < 100_000; n++) huge.put("k" + n, n);
        return huge;
    }

    private static Map<String, Object> throwing() {
        return new AbstractMap<String, Object>() {
            @Override public Set<Entry<String, Object>> entrySet() {
                throw new IllegalStateException("the app's own");
            }
        };
    }
}
