export interface TelegramButton {
  text: string;
  url: string;
}

/** A callback button, with at most 64 bytes of data. */
export interface TelegramAction {
  text: string;
  data: string;
}

/** A message that can be edited later. Buttons are in rows. */
export interface TelegramPost {
  text: string;
  buttons: readonly (readonly (TelegramAction | TelegramButton)[])[];
}

/** A command of the bot in its menu. */
export interface TelegramCommand {
  command: string;
  description: string;
  /** Whether only the sender and the bot see it in a group. */
  isEphemeral?: boolean;
}

/** What modules need from Telegram besides roles. Every method throws `PlatformFailed` if Telegram does not do it. */
export interface TelegramApi {
  /** The name of the bot without the at sign. */
  botName(signal?: AbortSignal): Promise<string>;
  /** The permissions that the bot needs but lacks in a chat, in words. */
  missingRights(chatId: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** A one-time invitation for the first user who opens it, until `expiresAt`. */
  createInvite(chatId: string, options: { name: string; expiresAt: Date }, signal?: AbortSignal): Promise<string>;
  /** Revokes an invite link that the bot created. One that is revoked already is left alone. */
  revokeInvite(chatId: string, url: string, signal?: AbortSignal): Promise<void>;
  /** The discussion group of a channel, or the channel of a discussion group; undefined for other chats. */
  readLinkedChat(chatId: string, signal?: AbortSignal): Promise<TelegramLinkedChat | undefined>;
  /** Whether the bot is the chat’s guard: then Telegram shows our page to users who request to join. */
  readGuard(chatId: string, signal?: AbortSignal): Promise<TelegramGuard>;
  /** Shows a page inside Telegram to a user who requests to join, before the request is decided. False if it is too late for that. */
  openJoinPage(queryId: string, url: string, signal?: AbortSignal): Promise<boolean>;
  /** Leaves a request to join to the chat’s administrators, among them this bot. False if it is too late to say so. */
  queueJoinRequest(queryId: string, signal?: AbortSignal): Promise<boolean>;
  /** Returns who opened a page inside Telegram, from what Telegram passed to it; undefined if Telegram did not sign it for this bot. */
  readInitData(initData: string): TelegramInitData | undefined;
  /** Sends a message, with at most one button, to a chat, or to a user who wrote to the bot or requested to join. */
  send(chatId: string, text: string, button?: TelegramButton, signal?: AbortSignal): Promise<void>;
  /** Sends a message and returns its id. */
  post(chatId: string, post: TelegramPost, signal?: AbortSignal): Promise<string>;
  /** Changes a message of the bot. One that says the same already is left alone. False when it is gone. */
  edit(chatId: string, messageId: string, post: TelegramPost, signal?: AbortSignal): Promise<boolean>;
  /** Sends a message to a group that only one of its members sees. False if that is not possible there: then nothing was sent. */
  whisper(chatId: string, userId: string, text: string, signal?: AbortSignal): Promise<boolean>;
  /** Pins a message without a notification. Pinning it again changes nothing. */
  pin(chatId: string, messageId: string, signal?: AbortSignal): Promise<void>;
  /** Ends the progress indicator that Telegram shows to the user who pressed a button. One that is too old is ignored. */
  endPress(pressId: string, signal?: AbortSignal): Promise<void>;
  /** Sets the commands that users find in the menu of the bot, in one language or, without it, for all others. */
  setCommands(commands: readonly TelegramCommand[], language?: string, signal?: AbortSignal): Promise<void>;
  /** Where Telegram posts the bot's updates, and whether that works. */
  readWebhook(signal?: AbortSignal): Promise<TelegramWebhook>;
}

/**
 * How join requests of a chat reach the bot. `assigned`: as queries, which can be answered with a page. `not-assigned`: as ordinary
 * requests, because the owner chose no guard bot. `other-bot`: another bot is the guard. `not-enabled`: the bot cannot be chosen, because
 * the switch in BotFather is off or Telegram’s server is too old.
 */
export type TelegramGuard = 'assigned' | 'not-assigned' | 'other-bot' | 'not-enabled';

export interface TelegramLinkedChat {
  chatId: string;
  /** Telegram says it only where the bot is in the chat. */
  title?: string;
  /** Whether it is the channel of the two. */
  isChannel: boolean;
}

export interface TelegramInitData {
  user: TelegramPerson;
  /** When the page was opened. */
  authDate: Date;
}

export interface TelegramWebhook {
  /** Undefined if updates are kept for long polling. */
  url: string | undefined;
  /** How many updates are pending. */
  waiting: number;
  /** The last time that an update could not be delivered, in Telegram's words. */
  lastError?: { message: string; at: Date };
}

/** Something that happened in a chat, in this project's terms. */
export type TelegramEvent =
  /** With `queryId`, Telegram waits ten seconds for a page or an answer. */
  | { kind: 'join-requested'; chatId: string; user: TelegramPerson; replyTo: string; queryId?: string }
  | { kind: 'joined'; chatId: string; user: TelegramPerson; way?: TelegramJoinWay }
  | { kind: 'left'; chatId: string; user: TelegramPerson }
  /** A user became an administrator, stopped being one, or has different administrator rights. */
  | { kind: 'rights-changed'; chatId: string; user: TelegramPerson }
  | { kind: 'spoke'; chatId: string; user: TelegramPerson }
  | {
      kind: 'command';
      chatId: string;
      isPrivate: boolean;
      user: TelegramPerson;
      command: string;
      argument: string;
      /** The author of the message that the command replies to. */
      replyTo?: TelegramPerson;
    }
  /** A user pressed a button of the bot in a private chat. */
  | { kind: 'pressed'; chatId: string; user: TelegramPerson; data: string; pressId: string }
  /** The bot itself was added to a chat, or removed from it. */
  | { kind: 'bot-added'; chatId: string; title: string; user: TelegramPerson }
  | { kind: 'bot-removed'; chatId: string; title: string; user: TelegramPerson }
  /** A group was upgraded to a supergroup, which has another chat id. */
  | { kind: 'upgraded'; chatId: string; newChatId: string };

/** How a user came into a chat without an approved request. Absent where one was approved. */
export interface TelegramJoinWay {
  /** `link`: an invite link that lets anyone in. `folder`: a link to a chat folder. `added`: by a member. `public`: by the chat’s public name. */
  kind: 'link' | 'folder' | 'added' | 'public';
  /** Who created the link or added the user. */
  by?: TelegramPerson;
  /** The invite link. Telegram shows the end of a link only to its creator. */
  link?: { url: string; name?: string; isOwn: boolean };
}

export interface TelegramPerson {
  id: string;
  name: string;
  isBot: boolean;
  /** The language of the user’s app, as an IETF tag, where Telegram says it. */
  language?: string;
}

/** The bot's session for Telegram's MTProto. Anyone who reads it can act as the bot. */
export interface KeptTelegramSession {
  /** Undefined before the first login. */
  session: string | undefined;
  keep(session: string): Promise<void>;
}

export interface TelegramSessions {
  /** Runs `work` with exclusive use of the session: Telegram ends one that is used from two places at once. */
  use<Result>(work: (kept: KeptTelegramSession) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}
