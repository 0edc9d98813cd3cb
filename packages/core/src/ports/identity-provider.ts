/** A user's identity on a chat platform, as the platform reports it. */
export interface PlatformIdentity {
  userId: string;
  name: string;
}

/** A platform with OAuth 2.0 (RFC 6749): the browser is redirected there and returns with a code. */
export interface RedirectIdentityProvider {
  kind: 'redirect';
  /** The platform's `iss` parameter in its responses (RFC 9207), if it sends one. */
  issuer: string | undefined;
  /** The URL to redirect the browser to. */
  start(asked: { state: string; redirectUri: string; codeChallenge: string }): string;
  /**
   * Exchanges the code for a token, reads who it belongs to and stores nothing. Throws `PlatformFailed`: `forbidden` if
   * the platform does not accept the code, `not-configured` if it does not accept this application.
   */
  finish(
    answer: { code: string; redirectUri: string; codeVerifier: string },
    signal?: AbortSignal,
  ): Promise<PlatformIdentity>;
}

/** A platform where the user confirms their identity by a message to the bot. */
export interface ChatIdentityProvider {
  kind: 'chat';
  /** The URL to redirect the browser to: a chat with the bot that starts with `argument`. Throws `PlatformFailed`. */
  start(argument: string, signal?: AbortSignal): Promise<string>;
}

export type IdentityProvider = RedirectIdentityProvider | ChatIdentityProvider;
