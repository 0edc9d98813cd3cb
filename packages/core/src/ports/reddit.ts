import type { MemberRoles, MemberWrite, PlatformRole, WriteOutcome } from './chat-platform.ts';

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
 * Lets a moderator authorize this server to act for them, by OAuth 2.0 with permanent access. Throws `PlatformFailed`;
 * `forbidden` means that Reddit did not grant everything that was requested.
 */
export interface RedditConsent {
  /** The URL where the moderator authorizes it. */
  start(request: { state: string; redirectUri: string; codeChallenge: string }): string;
  /** Returns a refresh token, which is a secret. */
  finish(answer: { code: string; redirectUri: string; codeVerifier: string }, signal?: AbortSignal): Promise<string>;
  /** Revokes a refresh token and everything issued with it. Does nothing if it has already expired. */
  revoke(refreshToken: string, signal?: AbortSignal): Promise<void>;
}

/** What modules need from Reddit besides roles. */
export interface RedditApi {
  /** The application's public id. */
  clientId: string;
  consent: RedditConsent;
  /** Undefined if Reddit does not accept the token (any more). Throws `PlatformFailed` if Reddit cannot be reached. */
  identify(refreshToken: string, signal?: AbortSignal): Promise<RedditIdentity | undefined>;
  /**
   * Whether a moderator may change the settings of a subreddit or who is admitted, using the token of any account.
   * Throws `PlatformFailed` if Reddit cannot be reached.
   */
  administers(
    refreshToken: string,
    question: { subreddit: string; userName: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /**
   * Starts a conversation among the moderators of a subreddit and returns its id. Throws `PlatformFailed`, also if the
   * token lacks the scope.
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
  /** The unread private messages of the account, oldest first. Throws like `startModmail`. */
  readUnread(refreshToken: string, signal?: AbortSignal): Promise<readonly RedditMessage[]>;
  /** Replies to a private message. */
  reply(refreshToken: string, answer: { messageId: string; text: string }, signal?: AbortSignal): Promise<void>;
  markRead(refreshToken: string, messageIds: readonly string[], signal?: AbortSignal): Promise<void>;
}

/** A private message to the linked account. */
export interface RedditMessage {
  /** The full name, `t4_…`. */
  id: string;
  /** The author; absent for messages from Reddit itself. */
  author?: string;
  subject: string;
  text: string;
}

/**
 * What the Devvit apps in subreddits reported, and the changes that they are asked for. Reading throws `PlatformFailed`
 * until an app has reported everything once.
 */
export interface DevvitDesk {
  /** Whether an app manages this subreddit instead of a moderator's token. */
  isPaired(subreddit: string): Promise<boolean>;
  /** The user flairs, in the order of the subreddit. */
  readFlairs(subreddit: string): Promise<readonly PlatformRole[]>;
  readMember(subreddit: string, userName: string): Promise<MemberRoles>;
  /** Every member with a flair or approval, in pages. */
  readMembers(subreddit: string): AsyncIterable<readonly MemberRoles[], void>;
  write(write: MemberWrite): Promise<WriteOutcome>;
}
