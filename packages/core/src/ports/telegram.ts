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
}

/** What modules need from Telegram besides roles. Every method throws `PlatformFailed` if Telegram does not do it. */
export interface TelegramApi {
  /** The name of the bot without the at sign. */
  botName(signal?: AbortSignal): Promise<string>;
  /** The permissions that the bot needs but lacks in a chat, in words. */
  missingRights(chatId: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** A one-time invitation for the first user who opens it, until `expiresAt`. */
  createInvite(chatId: string, options: { name: string; expiresAt: Date }, signal?: AbortSignal): Promise<string>;
  /** Sends a message, with at most one button, to a chat, or to a user who wrote to the bot or requested to join. */
  send(chatId: string, text: string, button?: TelegramButton, signal?: AbortSignal): Promise<void>;
  /** Sends a message and returns its id. */
  post(chatId: string, post: TelegramPost, signal?: AbortSignal): Promise<string>;
  /** Changes a message of the bot. One that says the same already is left alone. False when it is gone. */
  edit(chatId: string, messageId: string, post: TelegramPost, signal?: AbortSignal): Promise<boolean>;
  /** Pins a message without a notification. Pinning it again changes nothing. */
  pin(chatId: string, messageId: string, signal?: AbortSignal): Promise<void>;
  /** Ends the progress indicator that Telegram shows to the user who pressed a button. One that is too old is ignored. */
  endPress(pressId: string, signal?: AbortSignal): Promise<void>;
  /** Sets the commands that users find in the menu of the bot, in one language or, without it, for all others. */
  setCommands(commands: readonly TelegramCommand[], language?: string, signal?: AbortSignal): Promise<void>;
  /** Where Telegram posts the bot's updates, and whether that works. */
  readWebhook(signal?: AbortSignal): Promise<TelegramWebhook>;
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
  | { kind: 'join-requested'; chatId: string; user: TelegramPerson; replyTo: string }
  | { kind: 'joined'; chatId: string; user: TelegramPerson }
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
