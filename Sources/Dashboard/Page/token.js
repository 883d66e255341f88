/* The token: in this tab's sessionStorage and nowhere else. */

const TOKEN_KEY = "sojourn.token";

export function storedToken() {
  try {
    return sessionStorage.getItem(TOKEN_KEY);
  } catch {
    return null;
  }
}

/** Keeps a token for this tab. A browser that refuses storage asks again after a reload. */
export function storeToken(token) {
  try {
    sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    /* The page goes on with the token that it was given. */
  }
}

export function forgetToken() {
  try {
    sessionStorage.removeItem(TOKEN_KEY);
  } catch {
    /* Nothing was kept. */
  }
}
