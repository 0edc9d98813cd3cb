/** A subreddit as its moderator sees it. */
export interface ModeratedSubreddit {
  /** The full name, `t5_…`. */
  id: string;
  name: string;
  iconUrl?: string;
}

/** The account of a token, and the subreddits it moderates. */
export interface RedditIdentity {
  userName: string;
  moderates: readonly ModeratedSubreddit[];
}

/**
 * How a moderator lets this server act for them: by OAuth 2.0, with permanent access. Throws `PlatformFailed`; `forbidden`
 * means that Reddit did not give everything that was asked for.
 */
export interface RedditConsent {
  /** Where the browser goes, so that the moderator allows it. */
  start(asked: { state: string; redirectUri: string; codeChallenge: string }): string;
  /** Answers with a refresh token, which is a secret. */
  finish(answer: { code: string; redirectUri: string; codeVerifier: string }, signal?: AbortSignal): Promise<string>;
  /** Ends a refresh token and everything that was made with it. One that is over already is none to end. */
  revoke(refreshToken: string, signal?: AbortSignal): Promise<void>;
}

/** What features ask of Reddit beyond roles. */
export interface RedditApi {
  /** The application's public id. */
  clientId: string;
  consent: RedditConsent;
  /**
   * Undefined when Reddit does not accept the token (any more). Throws `PlatformFailed` when Reddit cannot be asked.
   */
  identify(refreshToken: string, signal?: AbortSignal): Promise<RedditIdentity | undefined>;
  /**
   * Whether a moderator may change the settings of a subreddit or who is let in, asked with the token of any account.
   * Throws `PlatformFailed` when Reddit cannot be asked.
   */
  administers(
    refreshToken: string,
    question: { subreddit: string; userName: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /**
   * Starts a conversation among the moderators of a subreddit and answers with its id. Throws `PlatformFailed`, also when
   * the token was not given for that.
   */
  startModmail(
    refreshToken: string,
    mail: { subreddit: string; subject: string; text: string },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Replies in a conversation. */
  continueModmail(
    refreshToken: string,
    mail: { conversationId: string; text: string },
    signal?: AbortSignal,
  ): Promise<void>;
  /** The private messages that the account has not read, the oldest first. Throws like `startModmail`. */
  readUnread(refreshToken: string, signal?: AbortSignal): Promise<readonly RedditMessage[]>;
  /** Answers a private message. */
  reply(refreshToken: string, answer: { messageId: string; text: string }, signal?: AbortSignal): Promise<void>;
  markRead(refreshToken: string, messageIds: readonly string[], signal?: AbortSignal): Promise<void>;
}

/** A private message to the linked account. */
export interface RedditMessage {
  /** The full name, `t4_…`. */
  id: string;
  /** Who wrote it; absent for messages of Reddit itself. */
  author?: string;
  subject: string;
  text: string;
}
