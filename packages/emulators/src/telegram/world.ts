import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Mailbox } from './mailbox.ts';
import type { Bot, Chat, InviteLink, JoinQuery, Membership, Message, User } from './types.ts';
import { viewChat, viewLink, viewMember, viewMessage, viewUser } from './views.ts';

const firstUserId = 5_000_000_001;
const firstGroupId = 1_000_000_001;

/** The state of the emulator. */
export class World {
  readonly clock: Clock;
  readonly users = new Map<number, User>();
  readonly chats = new Map<number, Chat>();
  readonly bots = new Map<string, Bot>();
  readonly mailboxes = new Map<Bot, Mailbox>();
  readonly links = new Map<string, InviteLink>();
  /** Requests to join that guard bots have not answered. */
  readonly joinQueries = new Map<string, JoinQuery>();
  /** How long Telegram waits for an answer once a page is shown. It publishes no limit; this one is a guess. */
  pageMs = 300_000;
  /** False for a Bot API server before 10.2. */
  knowsEphemeral = true;
  /** What bots sent, oldest first. */
  readonly sent: Message[] = [];
  readonly #seed: string;
  #tokens = 0;
  #users = 0;
  #groups = 0;

  constructor(clock: Clock, seed: string) {
    this.clock = clock;
    this.#seed = seed;
  }

  nowSeconds(): number {
    return Math.floor(this.clock() / 1000);
  }

  /** Returns a text that cannot be guessed without the seed. */
  nextToken(what: string): string {
    this.#tokens += 1;
    return this.derive(`${what} ${this.#tokens}`).toString('base64url');
  }

  derive(what: string): Buffer {
    return createHash('sha256').update(`${this.#seed}\n${what}`).digest();
  }

  addUser(
    firstName: string,
    { id, username, isBot = false }: { id?: number; username?: string; isBot?: boolean } = {},
  ) {
    this.#users += 1;
    const user: User = {
      id: id ?? firstUserId + this.#users,
      firstName,
      isBot,
      ...(username === undefined ? {} : { username }),
    };
    this.users.set(user.id, user);
    return user;
  }

  addChat(type: Chat['type'], title: string, { id, username }: { id?: number; username?: string } = {}): Chat {
    if (type !== 'private') this.#groups += 1;
    const number = firstGroupId + this.#groups;
    const chat: Chat = {
      id: id ?? (type === 'group' ? -number : Number(`-100${number}`)),
      type,
      title,
      ...(username === undefined ? {} : { username }),
      members: new Map(),
      requests: new Map(),
      links: new Map(),
      messages: new Map(),
      nextMessageId: 1,
      ephemeral: new Map(),
      pinned: [],
    };
    this.chats.set(chat.id, chat);
    return chat;
  }

  /** Returns a user's current status in a chat: an expired ban does not count. */
  membershipOf(chat: Chat, userId: number): Membership {
    const membership = chat.members.get(userId) ?? { status: 'left' };
    const until = 'untilSeconds' in membership ? membership.untilSeconds : 0;
    if (until === 0 || until > this.nowSeconds()) return membership;
    return membership.status === 'restricted' && membership.isMember ? { status: 'member' } : { status: 'left' };
  }

  isIn(chat: Chat, userId: number): boolean {
    const membership = this.membershipOf(chat, userId);
    if (membership.status === 'restricted') return membership.isMember;
    return membership.status !== 'left' && membership.status !== 'kicked';
  }

  /** Changes a user's status, and notifies the bots that may know: administrators, and a bot about itself. */
  setMembership(
    chat: Chat,
    user: User,
    next: Membership,
    by: { from: User; link?: InviteLink | undefined; viaRequest?: boolean },
  ): void {
    const before = this.membershipOf(chat, user.id);
    const wasIn = this.isIn(chat, user.id);
    chat.members.set(user.id, next);
    for (const [bot, mailbox] of this.mailboxes) {
      const isSelf = bot.user.id === user.id;
      if (!isSelf && !this.isAdministrator(chat, bot.user.id)) continue;
      mailbox.put(isSelf ? 'my_chat_member' : 'chat_member', {
        chat: viewChat(chat),
        from: viewUser(by.from),
        date: this.nowSeconds(),
        old_chat_member: viewMember(user, before, bot.user.id),
        new_chat_member: viewMember(user, next, bot.user.id),
        ...(by.link === undefined ? {} : { invite_link: viewLink(by.link, bot.user.id) }),
        ...(by.viaRequest ? { via_join_request: true } : {}),
      });
    }
    const isIn = this.isIn(chat, user.id);
    if (chat.type === 'private' || chat.type === 'channel' || isIn === wasIn) return;
    this.post(chat, by.from, '', isIn ? { joined: [user] } : { gone: user });
  }

  /** The queries that can still be answered. The others become ordinary requests. */
  openJoinQueries(): JoinQuery[] {
    for (const [id, { expiresAtMs, chat, user, link }] of this.joinQueries) {
      if (expiresAtMs > this.clock()) continue;
      this.joinQueries.delete(id);
      if (!this.isIn(chat, user.id)) chat.requests.set(user.id, link);
    }
    return [...this.joinQueries.values()];
  }

  isAdministrator(chat: Chat, userId: number): boolean {
    const { status } = this.membershipOf(chat, userId);
    return status === 'administrator' || status === 'creator';
  }

  /** Posts a message to a chat, and delivers it to the bots that may read it. */
  post(chat: Chat, from: User, text: string, rest: Partial<Omit<Message, 'id' | 'chat' | 'from' | 'text'>> = {}) {
    const message: Message = { id: chat.nextMessageId, chat, from, dateSeconds: this.nowSeconds(), text, ...rest };
    chat.nextMessageId += 1;
    chat.messages.set(message.id, message);
    if (from.isBot && !isService(message)) this.sent.push(message);
    for (const [bot, mailbox] of this.mailboxes) {
      if (bot.user.id !== from.id && this.#mayRead(bot, message)) mailbox.put('message', viewMessage(message));
    }
    return message;
  }

  /** A bot never sees messages of other bots. With privacy mode it sees only commands, replies to it and joins in groups. */
  #mayRead(bot: Bot, message: Message): boolean {
    const { chat, from, text, replyTo } = message;
    if (from.isBot && !isService(message)) return false;
    if (chat.type === 'private') return chat.members.has(bot.user.id);
    if (!this.isIn(chat, bot.user.id)) return false;
    if (this.isAdministrator(chat, bot.user.id) || !bot.hasPrivacy || isService(message) || text.startsWith('/'))
      return true;
    return replyTo !== undefined && chat.messages.get(replyTo)?.from.id === bot.user.id;
  }
}

function isService({ joined, gone, upgradedTo, upgradedFrom }: Message): boolean {
  return [joined, gone, upgradedTo, upgradedFrom].some((subject) => subject !== undefined);
}
