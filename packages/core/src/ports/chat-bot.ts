import type { PlatformName } from '@latchkey/kernel';

/** A user of a chat platform. Ids are the platform's own. */
export interface ChatPerson {
  id: string;
  name: string;
  isBot: boolean;
}

/** How a user came into a place that the bot did not let them into. */
export interface ChatJoinWay {
  /** public: the place is open to everyone. added: by another user. other-room: it is open to everyone in another place. */
  kind: 'public' | 'added' | 'other-room';
  /** Who added the user. */
  by?: ChatPerson;
}

/** Something that happened on a chat platform, in this project's terms. */
export type ChatEvent =
  /** A user came into a community, with these roles. `way` is absent if the bot let them in, or if that is not known. */
  | { kind: 'joined'; communityId: string; user: ChatPerson; roleIds: readonly string[]; way?: ChatJoinWay }
  /** A user came into a place of the community that is one of its roles, and the bot did not let them in. */
  | { kind: 'entered'; communityId: string; user: ChatPerson; roleId: string; way: ChatJoinWay }
  /** `keepsRoles`: on this platform, leaving alone does not end the roles. */
  | { kind: 'left'; communityId: string; user: ChatPerson; keepsRoles?: boolean }
  /** A user asks to be let into a community, which is the role `roleId`. */
  | { kind: 'join-requested'; communityId: string; user: ChatPerson; roleId: string }
  /** A member asks for another role of the community, such as to be let into one of its rooms. */
  | { kind: 'role-requested'; communityId: string; user: ChatPerson }
  /** Who may manage the community changed. */
  | { kind: 'rights-changed'; communityId: string }
  | { kind: 'spoke'; communityId: string; user: ChatPerson }
  | {
      kind: 'command';
      /** Where it was written: a community, one of its rooms, or a private conversation. */
      placeId: string;
      user: ChatPerson;
      command: string;
      argument: string;
    }
  /** A user invited the bot into a place where it is not yet. */
  | { kind: 'bot-invited'; placeId: string; user: ChatPerson; isPrivate: boolean }
  | { kind: 'bot-removed'; communityId: string }
  /** A place was replaced by another, which is reached through these servers. */
  | { kind: 'replaced'; placeId: string; newPlaceId: string; via: readonly string[] }
  /** Events of a community were lost. */
  | { kind: 'missed'; communityId: string };

/** Events that belong together: either all of them are handled, or they come again. */
export interface ChatEvents {
  /** The position before them; undefined if the bot listens for the first time. */
  from: string | undefined;
  /** The position after them. */
  to: string;
  events: readonly ChatEvent[];
}

export interface ChatListener {
  /** Whether this process is the one that listens. */
  isTurn(): Promise<boolean>;
  /** The position up to which events were handled. */
  position(): Promise<string | undefined>;
  /** Handles events. If it throws, they come again. */
  take(events: ChatEvents): Promise<void>;
}

export interface EnteredPlace {
  name: string;
  /** The communities that it is a room of, if the bot is in them too. */
  inside: readonly string[];
  /** The place that it replaces, if both of them say so, and the roles of being in each. */
  replaces?: { placeId: string; roleId: string; newRoleId: string };
}

export interface EnterOptions {
  isPrivate: boolean;
  /** Who invited the bot; absent if it comes by itself, from a place that was replaced. */
  userId?: string;
  /** Servers through which the place is reached. */
  via?: readonly string[];
}

/**
 * The bot of a chat platform, besides roles. Every method throws `PlatformFailed` if the platform does not do it. What
 * people see of a platform with such a bot follows from this port: commands, private answers, notices, join requests.
 */
export interface ChatBot {
  platform: PlatformName;
  /** What a command starts with in a community, such as `!`. */
  commandPrefix: string;
  /** Where people see the bot and begin a conversation with it. */
  profileUrl(signal?: AbortSignal): Promise<string>;
  /** Posts a message and returns its id. Plain text; URLs become links. */
  post(placeId: string, text: string, signal?: AbortSignal): Promise<string>;
  /** Writes to a user privately, in a conversation that is begun if there is none, and returns the id of the message. */
  sendTo(userId: string, text: string, signal?: AbortSignal): Promise<string>;
  /** Accepts an invitation, or enters a place that replaces another. */
  enter(placeId: string, options: EnterOptions, signal?: AbortSignal): Promise<EnteredPlace>;
  leave(placeId: string, signal?: AbortSignal): Promise<void>;
  /** Delivers events until the signal aborts, in their order, each until it was handled. */
  listen(listener: ChatListener, signal: AbortSignal): Promise<void>;
}
