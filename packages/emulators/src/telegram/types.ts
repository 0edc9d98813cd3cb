export interface User {
  readonly id: number;
  firstName: string;
  username?: string;
  readonly isBot: boolean;
  /** The language of the app; English without it. */
  language?: string;
}

/** What an administrator may do. */
export const rights = [
  'can_manage_chat',
  'can_change_info',
  'can_delete_messages',
  'can_invite_users',
  'can_restrict_members',
  'can_pin_messages',
  'can_promote_members',
  'can_manage_video_chats',
  'can_manage_tags',
] as const;
export type Right = (typeof rights)[number];

/** What an ordinary member may do. */
export const permissions = [
  'can_send_messages',
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
  'can_send_polls',
  'can_send_other_messages',
  'can_add_web_page_previews',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
] as const;
export type Permission = (typeof permissions)[number];

export type Membership =
  | { status: 'creator' }
  | { status: 'administrator'; rights: ReadonlySet<Right>; promotedBy: number; title?: string }
  | { status: 'member'; tag?: string }
  | { status: 'restricted'; tag?: string; isMember: boolean; allowed: ReadonlySet<Permission>; untilSeconds: number }
  | { status: 'left' }
  /** 0 is forever. */
  | { status: 'kicked'; untilSeconds: number };

export interface InviteLink {
  readonly url: string;
  readonly chatId: number;
  readonly creator: User;
  readonly name?: string;
  readonly expiresAtSeconds?: number;
  readonly memberLimit?: number;
  readonly createsJoinRequest: boolean;
  readonly isPrimary: boolean;
  isRevoked: boolean;
  /** How many users joined with it. */
  used: number;
}

/** A request to join that Telegram asks the guard bot of a chat about. */
export interface JoinQuery {
  readonly id: string;
  readonly chat: Chat;
  readonly user: User;
  readonly bot: Bot;
  readonly link: InviteLink;
  /** Then it becomes an ordinary request. */
  expiresAtMs: number;
  /** The page that the user sees. */
  pageUrl?: string;
}

export interface Message {
  readonly id: number;
  readonly chat: Chat;
  readonly from: User;
  readonly dateSeconds: number;
  editedSeconds?: number;
  text: string;
  /** The reply markup as it was sent: an inline keyboard. */
  replyMarkup?: unknown;
  readonly replyTo?: number;
  /** The users a service message is about. */
  readonly joined?: readonly User[];
  readonly gone?: User;
  /** The other chat id, in the messages that Telegram posts when a group becomes a supergroup. */
  readonly upgradedTo?: number;
  readonly upgradedFrom?: number;
}

export interface EphemeralMessage {
  readonly id: number;
  readonly receiver: User;
  readonly text: string;
}

export interface Chat {
  readonly id: number;
  readonly type: 'private' | 'group' | 'supergroup' | 'channel';
  title: string;
  username?: string;
  photo?: { readonly uniqueId: string; readonly bytes: Uint8Array };
  /** Only administrators see who is in it. */
  hidesMembers?: boolean;
  /** The discussion group of a channel, and the channel of a discussion group. */
  linkedId?: number;
  /** The supergroup that this group was upgraded to. */
  upgradedTo?: number;
  /** Known to the service; the Bot API never returns the list. */
  readonly members: Map<number, Membership>;
  readonly requests: Map<number, InviteLink | undefined>;
  /** The user id of the bot that is asked about each request to join. */
  guardId?: number;
  readonly links: Map<string, InviteLink>;
  readonly messages: Map<number, Message>;
  nextMessageId: number;
  /** Messages that one member sees, by their own ids. */
  readonly ephemeral: Map<number, EphemeralMessage>;
  /** The newest is shown at the top of the chat. */
  readonly pinned: number[];
  /** Until when a bot may write to a user who only requested to join a group. */
  openUntilSeconds?: number;
}

export interface Update {
  readonly update_id: number;
  readonly kind: string;
  readonly atMs: number;
  readonly body: unknown;
}

export interface Bot {
  readonly user: User;
  readonly token: string;
  /** If true, the bot sees only messages addressed to it in groups, unless it is an administrator. */
  hasPrivacy: boolean;
  readonly commands: Map<string, unknown>;
  /** Its private chats, by user id: another bot has a separate chat with the same id. */
  readonly direct: Map<number, Chat>;
  /** If true, owners can choose it as the guard of a chat; its own owner switches that on in BotFather. */
  canGuard: boolean;
  /** Users who blocked the bot. */
  readonly blockedBy: Set<number>;
}
