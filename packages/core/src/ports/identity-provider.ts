/** A user's identity on a chat platform, as the platform reports it. */
export interface PlatformIdentity {
  userId: string;
  name: string;
}

/** A platform that the browser is sent to and comes back from with a code: OAuth 2.0 (RFC 6749). */
export interface RedirectIdentityProvider {
  kind: 'redirect';
  /** What the platform calls itself in the parameter `iss` of its answers (RFC 9207), if it sends one. */
  issuer: string | undefined;
  /** Where the browser goes. */
  start(asked: { state: string; redirectUri: string; codeChallenge: string }): string;
  /**
   * Exchanges the code for a token, asks who it belongs to and keeps nothing. Throws `PlatformFailed`: `forbidden`
   * when the platform does not accept the code, `not-configured` when it does not accept this application.
   */
  finish(
    answer: { code: string; redirectUri: string; codeVerifier: string },
    signal?: AbortSignal,
  ): Promise<PlatformIdentity>;
}

/** A platform where the user tells the bot in person. The response arrives as a message to the bot. */
export interface ChatIdentityProvider {
  kind: 'chat';
  /** Where the browser goes: a conversation with the bot that begins with `argument`. Throws `PlatformFailed`. */
  start(argument: string, signal?: AbortSignal): Promise<string>;
}

export type IdentityProvider = RedirectIdentityProvider | ChatIdentityProvider;
