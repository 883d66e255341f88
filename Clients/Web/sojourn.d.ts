/** What a page may say of itself; see docs/web.md. */
interface Sojourn {
    /**
     * Tells the app around the page that something has happened. Never throws and returns nothing,
     * whatever it is given; where no app listens it does nothing.
     *
     * @param name 1 to 128 of `A-Z a-z 0-9 . _ -`
     * @param attributes at most 31, of strings, finite numbers and booleans
     */
    say(name: string, attributes?: { readonly [key: string]: string | number | boolean }): void;
}

/** Made by sojourn.js. */
declare const sojourn: Sojourn;
