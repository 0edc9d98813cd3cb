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
  start(request: { state: string; redirectUri: string; codeChallenge: string }): string;
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

/** A platform where people name their account, and confirm with a link that the bot sends there privately. */
export interface MessageIdentityProvider {
  kind: 'message';
  /** The one spelling of an account's id; undefined if the text is not one. */
  readAccount(text: string): string | undefined;
  /**
   * Sends a private message to the account and returns the URL of that conversation. Throws `PlatformFailed`:
   * `forbidden` if the account does not exist or accepts no message.
   */
  send(userId: string, text: string, signal?: AbortSignal): Promise<string>;
}

export type IdentityProvider = RedirectIdentityProvider | ChatIdentityProvider | MessageIdentityProvider;
