/** A subreddit as its moderator sees it. */
export interface ModeratedSubreddit {
  /** The full name, `t5_…`. */
  id: string;
  name: string;
  iconUrl?: string;
}

/** Whom a token speaks for, and what that account moderates. */
export interface RedditIdentity {
  userName: string;
  moderates: readonly ModeratedSubreddit[];
}

/** What features ask of Reddit beyond roles. */
export interface RedditApi {
  /** The application's public id. */
  clientId: string;
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
}
