/** One sign-in started by this page. The verifier never leaves the browser before the code is exchanged. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  scope: string;
  redirectUri: string;
}

const place = (appId: string) => `latchkey-try-login:${appId}`;

export function keepAttempt(appId: string, attempt: Attempt): void {
  sessionStorage.setItem(place(appId), JSON.stringify(attempt));
}

/** Returns the attempt of a code, once: a code can be used once as well. */
export function takeAttempt(appId: string): Attempt | undefined {
  const kept = sessionStorage.getItem(place(appId));
  sessionStorage.removeItem(place(appId));
  return kept === null ? undefined : (JSON.parse(kept) as Attempt);
}

export async function newAttempt(scope: string, redirectUri: string): Promise<Attempt> {
  return { state: randomText(), nonce: randomText(), verifier: randomText(), scope, redirectUri };
}

/** Returns the authorization URL (RFC 6749 4.1.1, RFC 7636 4.3). */
export async function authorizeUrl(clientId: string, attempt: Attempt): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: attempt.redirectUri,
    scope: attempt.scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await challengeOf(attempt.verifier),
    code_challenge_method: 'S256',
  });
  return `${location.origin}/oauth2/authorize?${query}`;
}

export async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
}

/** Returns the claims of an ID token. The page only shows them; verifying the signature is up to the application. */
export function claimsOf(idToken: string): Record<string, unknown> | undefined {
  try {
    const part = (idToken.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const bytes = Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
