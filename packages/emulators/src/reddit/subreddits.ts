/** A flair that moderators of a subreddit can assign. */
export interface FlairTemplate {
  id: string;
  text: string;
  css_class: string;
}

export interface Subreddit {
  /** The full name, `t5_…`. */
  id: string;
  name: string;
  /** By seniority. */
  moderators: Set<string>;
  /** A moderator's permissions, if not all: `access`, `config`, `flair`, `mail` … */
  moderatorPermissions: Map<string, readonly string[]>;
  flairs: FlairTemplate[];
  /** The flair of each user; Reddit allows one. */
  flairOf: Map<string, string>;
  approved: Set<string>;
  banned: Set<string>;
  /** The URL of its icon, and the icon itself if it is served here. */
  icon?: { url: string; bytes?: Uint8Array };
}

export interface RedditUser {
  /** The full name, `t2_…`. */
  id: string;
  name: string;
}

export interface PrivateMessage {
  /** The full name, `t4_…`. */
  id: string;
  author: string;
  to: string;
  subject: string;
  body: string;
  isRead: boolean;
}

/** A conversation among the moderators of a subreddit. */
export interface Conversation {
  id: string;
  subreddit: string;
  subject: string;
  messages: { author: string; body: string }[];
}

/** The state of Reddit. Names are case-insensitive, as on Reddit. */
export class RedditWorld {
  readonly users = new Map<string, RedditUser>();
  readonly subreddits = new Map<string, Subreddit>();
  readonly conversations = new Map<string, Conversation>();
  /** The oldest first. */
  readonly messages: PrivateMessage[] = [];

  addUser(name: string): RedditUser {
    const user = { id: `t2_${this.users.size.toString(36).padStart(4, '0')}`, name };
    this.users.set(name.toLowerCase(), user);
    return user;
  }

  addSubreddit(name: string, moderators: readonly string[], flairs: readonly string[] = []): Subreddit {
    const subreddit: Subreddit = {
      id: `t5_${this.subreddits.size.toString(36).padStart(4, '0')}`,
      name,
      moderators: new Set(moderators.map((moderator) => moderator.toLowerCase())),
      moderatorPermissions: new Map(),
      flairs: flairs.map((text, index) => ({
        id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
        text,
        css_class: text.toLowerCase().replaceAll(/\W+/g, '-'),
      })),
      flairOf: new Map(),
      approved: new Set(),
      banned: new Set(),
    };
    this.subreddits.set(name.toLowerCase(), subreddit);
    return subreddit;
  }

  sendMessage(author: string, to: string, subject: string, body: string): PrivateMessage {
    const id = `t4_${this.messages.length.toString(36).padStart(4, '0')}`;
    const message = { id, author, to, subject, body, isRead: false };
    this.messages.push(message);
    return message;
  }

  user(name: string | undefined): RedditUser | undefined {
    return name === undefined ? undefined : this.users.get(name.toLowerCase());
  }

  subreddit(name: string | undefined): Subreddit | undefined {
    return name === undefined ? undefined : this.subreddits.get(name.toLowerCase());
  }
}
