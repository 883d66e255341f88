import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;

/**
 * A client that shares no code with the server: seals a batch by the text of the standards alone, with
 * javax.crypto, and posts it.
 *
 * <pre>java Seal.java PROFILE URL APP KEYID SECRETFILE [TOKEN] &lt; batch.json</pre>
 *
 * PROFILE is one of those below. The secret file holds 16 or 32 octets in hex or base64url, or for jwe
 * the public key as a JWK. Prints the status and the answer; exits 0 if the status is 200.
 */
public final class Seal {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

    public static void main(String[] arguments) throws Exception {
        String profile = arguments[0];
        String url = arguments[1];
        String app = arguments[2];
        String keyId = arguments[3];
        String secret = new String(
            Files.readAllBytes(Paths.get(arguments[4])), StandardCharsets.US_ASCII).trim();
        String token = arguments.length > 5 ? arguments[5] : "";
        byte[] batch = readAll(System.in);

        String path = "/v1/apps/" + app + "/batches";
        String type = "application/json";
        String coding = null;
        boolean needsToken = false;
        byte[] body;
        if (profile.startsWith("jwe-")) {
            String[] words = profile.split("-");
            type = "application/jose";
            needsToken = true;
            body = jwe(batch, keyId, secret, words[1], words.length > 2);
        } else {
            switch (profile) {
                case "aes128gcm":
                    coding = "gzip, aes128gcm";
                    body = contentCoding(gzip(batch), keyId, octets(secret), 4096, 0);
                    break;
                case "aes128gcm-padded":
                    coding = "gzip, aes128gcm";
                    body = contentCoding(gzip(batch), keyId, octets(secret), 40, 7);
                    break;
                case "aes128gcm-without-gzip":
                    coding = "aes128gcm";
                    body = contentCoding(batch, keyId, octets(secret), 18, 0);
                    break;
                case "plain":
                    needsToken = true;
                    body = batch;
                    break;
                case "plain-gzip":
                    needsToken = true;
                    coding = "gzip";
                    body = gzip(batch);
                    break;
                case "legacy":
                    path = "/v1/legacy/" + keyId;
                    type = "application/octet-stream";
                    body = legacy(gzip(batch), octets(secret));
                    break;
                default:
                    throw new IllegalArgumentException("no profile " + profile);
            }
        }

        HttpURLConnection connection = (HttpURLConnection) new URL(url + path).openConnection();
        connection.setConnectTimeout(30_000);
        connection.setReadTimeout(30_000);
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", type);
        if (coding != null) connection.setRequestProperty("Content-Encoding", coding);
        if (needsToken) connection.setRequestProperty("Authorization", "Bearer " + token);
        connection.getOutputStream().write(body);
        int status = connection.getResponseCode();
        InputStream answer =
            status < 400 ? connection.getInputStream() : connection.getErrorStream();
        System.out.println(status + " " + new String(readAll(answer), StandardCharsets.UTF_8));
        System.exit(status == 200 ? 0 : 1);
    }

    /** What the Android client of 2013 does: the transformation "AES" is ECB with PKCS#5 padding. */
    private static byte[] legacy(byte[] plain, byte[] secret) throws Exception {
        Cipher cipher = Cipher.getInstance("AES");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(secret, "AES"));
        return cipher.doFinal(plain);
    }

    /** RFC 8188 §2: header block, then records; 2 delimits the last one, 1 all others. */
    private static byte[] contentCoding(
        byte[] plain, String keyId, byte[] secret, int recordSize, int padding) throws Exception {
        byte[] salt = random(16);
        byte[] pseudorandom = hmac(salt, secret);
        byte[] key = expand(pseudorandom, "Content-Encoding: aes128gcm\0", 16);
        byte[] base = expand(pseudorandom, "Content-Encoding: nonce\0", 12);
        byte[] name = keyId.getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(salt);
        body.write(ByteBuffer.allocate(4).putInt(recordSize).array());
        body.write(name.length);
        body.write(name);
        int step = recordSize - 17 - padding;
        int number = 0;
        for (int at = 0; at == 0 || at < plain.length; at += step) {
            int end = Math.min(at + step, plain.length);
            byte[] record = Arrays.copyOf(Arrays.copyOfRange(plain, at, end), end - at + 1 + padding);
            record[end - at] = (byte) (end == plain.length ? 2 : 1);
            ByteBuffer nonce = ByteBuffer.wrap(base.clone());
            nonce.putInt(8, nonce.getInt(8) ^ number++);
            body.write(gcm(key, nonce.array(), record, new byte[0]));
        }
        return body.toByteArray();
    }

    /** RFC 7516 §5.1, compact serialization. */
    private static byte[] jwe(
        byte[] plain, String keyId, String jwk, String encryption, boolean isCompressed)
        throws Exception {
        int size = encryption.equals("A128GCM") ? 16 : 32;
        String algorithm = member(jwk, "alg");
        StringBuilder header = new StringBuilder(
            "{\"alg\":\"" + algorithm + "\",\"enc\":\"" + encryption + "\",\"kid\":\"" + keyId + "\"");
        if (isCompressed) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (DeflaterOutputStream deflater =
                     new DeflaterOutputStream(out, new Deflater(9, true))) {
                deflater.write(plain);
            }
            plain = out.toByteArray();
            header.append(",\"zip\":\"DEF\"");
        }
        byte[] key;
        byte[] wrapped = new byte[0];
        if (algorithm.equals("ECDH-ES")) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair own = generator.generateKeyPair();
            ECPoint point = ((ECPublicKey) own.getPublic()).getW();
            header.append(
                ",\"epk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" + coordinate(point.getAffineX())
                    + "\",\"y\":\"" + coordinate(point.getAffineY()) + "\"}");
            KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
            agreement.init(own.getPrivate());
            agreement.doPhase(ellipticKey(jwk), true);
            key = concatKdf(agreement.generateSecret(), encryption, size);
        } else {
            key = random(size);
            PublicKey peer = KeyFactory.getInstance("RSA").generatePublic(
                new RSAPublicKeySpec(number(jwk, "n"), number(jwk, "e")));
            Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPPadding");
            cipher.init(
                Cipher.ENCRYPT_MODE, peer,
                new OAEPParameterSpec(
                    "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT));
            wrapped = cipher.doFinal(key);
        }
        String head =
            BASE64URL.encodeToString((header + "}").getBytes(StandardCharsets.US_ASCII));
        byte[] nonce = random(12);
        byte[] sealed = gcm(key, nonce, plain, head.getBytes(StandardCharsets.US_ASCII));
        int end = sealed.length - 16;
        return String.join(
            ".", head, BASE64URL.encodeToString(wrapped), BASE64URL.encodeToString(nonce),
            BASE64URL.encodeToString(Arrays.copyOf(sealed, end)),
            BASE64URL.encodeToString(Arrays.copyOfRange(sealed, end, sealed.length))
        ).getBytes(StandardCharsets.US_ASCII);
    }

    private static PublicKey ellipticKey(String jwk) throws Exception {
        AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
        curve.init(new ECGenParameterSpec("secp256r1"));
        return KeyFactory.getInstance("EC").generatePublic(
            new ECPublicKeySpec(
                new ECPoint(number(jwk, "x"), number(jwk, "y")),
                curve.getParameterSpec(ECParameterSpec.class)));
    }

    /** RFC 7518 §4.6.2 for one round of SHA-256, without apu and apv. */
    private static byte[] concatKdf(byte[] shared, String encryption, int size) throws Exception {
        byte[] label = encryption.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer input = ByteBuffer.allocate(4 + shared.length + 4 + label.length + 12);
        input.putInt(1).put(shared).putInt(label.length).put(label);
        input.putInt(0).putInt(0).putInt(size * 8);
        return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(input.array()), size);
    }

    private static byte[] gcm(byte[] key, byte[] nonce, byte[] plain, byte[] associated)
        throws Exception {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
            Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
        cipher.updateAAD(associated);
        return cipher.doFinal(plain);
    }

    /** RFC 5869 §2.3 for at most one block. */
    private static byte[] expand(byte[] pseudorandom, String info, int size) throws Exception {
        return Arrays.copyOf(
            hmac(pseudorandom, (info + "\1").getBytes(StandardCharsets.US_ASCII)), size);
    }

    private static byte[] hmac(byte[] key, byte[] message) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(message);
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }

    private static String coordinate(BigInteger value) {
        byte[] octets = value.toByteArray();
        byte[] out = new byte[32];
        int count = Math.min(octets.length, 32);
        System.arraycopy(octets, octets.length - count, out, 32 - count, count);
        return BASE64URL.encodeToString(out);
    }

    private static String member(String jwk, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(jwk);
        if (!found.find()) throw new IllegalArgumentException("no " + name + " in the JWK");
        return found.group(1);
    }

    private static BigInteger number(String jwk, String name) {
        return new BigInteger(1, Base64.getUrlDecoder().decode(member(jwk, name)));
    }

    /** A symmetric secret, which has 16 or 32 octets: no text of it can be taken for the other form. */
    private static byte[] octets(String text) {
        if (text.length() != 32 && text.length() != 64) return Base64.getUrlDecoder().decode(text);
        byte[] out = new byte[text.length() / 2];
        for (int at = 0; at < out.length; at++) {
            out[at] = (byte) Integer.parseInt(text.substring(2 * at, 2 * at + 2), 16);
        }
        return out;
    }

    private static byte[] random(int count) {
        byte[] out = new byte[count];
        RANDOM.nextBytes(out);
        return out;
    }

    private static byte[] readAll(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
            out.write(piece, 0, count);
        }
        return out.toByteArray();
    }
}
