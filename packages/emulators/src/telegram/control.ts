import { createHmac, hash } from 'node:crypto';
import type { Call } from './call.ts';
import { Mailbox } from './mailbox.ts';
import { buttonData, keyboardOf } from './methods/messages.ts';
import type { Bot, Chat, EphemeralMessage, InviteLink, JoinQuery, Membership, Message, Right, User } from './types.ts';
import { rights } from './types.ts';
import { viewChat, viewLink, viewMessage, viewUser } from './views.ts';
import type { World } from './world.ts';

export interface GroupOptions {
  title: string;
  type?: 'group' | 'supergroup' | 'channel';
  id?: number;
  username?: string;
  /** The rights of the emulator's bot as an administrator; an empty list makes it a plain member, false leaves it out. */
  bot?: readonly Right[] | false;
}

/** How a join by link ended. */
export type Joined = 'joined' | 'requested';

/** Acts as the users on the other side: owners, members and strangers. */
export interface TelegramControl {
  createBot(options?: { name?: string; username?: string; token?: string }): Bot;
  createUser(name: string, id?: number): User;
  chats(): readonly Chat[];
  createGroup(options: GroupOptions): Chat;
  /** Sets the status of the bot, as the owner would. */
  setBot(chatId: number, membership: readonly Right[] | 'member' | 'left' | 'kicked', bot?: Bot): void;
  /** Grants a member administrator rights as the owner would, or removes all of them. */
  setAdmin(chatId: number, userId: number, rights: readonly Right[]): void;
  /** Upgrades a group to a supergroup as the owner would: a new chat id with the same members. */
  upgrade(chatId: number): Chat;
  /** Sets or removes the photo of a chat. */
  setPhoto(chatId: number, bytes: Uint8Array | undefined): void;
  /** A user's status in a chat. */
  statusOf(chatId: number, userId: number): Membership;
  /** Adds a user, as the owner would or as a user joining by a public name. */
  addMember(chatId: number, userId: number): void;
  /** Joins through an invite link. Throws if the link does not admit the user. */
  join(userId: number, link: string): Joined;
  /** Makes a bot the guard of a chat, as the owner would, or lets requests come as ordinary ones again. */
  setGuard(chatId: number, isGuard: boolean, bot?: Bot): void;
  /** The pages that guard bots show to users who requested to join, by user. */
  joinPages(chatId: number): ReadonlyMap<number, string>;
  /** Whether a user's request to join waits: for the guard bot, or in the list of the administrators. */
  isWaiting(chatId: number, userId: number): boolean;
  /** What Telegram passes to a page of a bot that a user opens, signed for that bot. */
  signInitData(userId: number, options?: { authDate?: number; bot?: Bot }): string;
  /** Adds a user as another member would. */
  addBy(chatId: number, userId: number, byId: number): void;
  /** Creates an invite link as an administrator would. Bots see only the beginning of it. */
  createLink(chatId: number, byId: number, options?: { createsJoinRequest?: boolean; name?: string }): string;
  /** Makes a supergroup the discussion group of a channel, as the owner of both would. */
  linkChats(channelId: number, groupId: number): void;
  leave(chatId: number, userId: number): void;
  speak(userId: number, chatId: number, text: string, replyTo?: number): Message;
  /** Sends a private message to a bot, which a user must do before the bot can write to them. */
  speakToBot(userId: number, text: string, bot?: Bot): Message;
  blockBot(userId: number, bot?: Bot): void;
  /** Presses a button below a message, and waits for the bot's answer. */
  press(
    userId: number,
    message: Pick<Message, 'id' | 'chat'>,
    data: string,
  ): Promise<{ text?: string; showAlert: boolean }>;
  sentMessages(chatId?: number): readonly Message[];
  /** The messages of bots in a chat that only this user sees. */
  ephemeralMessages(chatId: number, userId: number): readonly EphemeralMessage[];
  /** Whether the Bot API server knows ephemeral messages. An older one ignores the parameter. */
  setEphemeral(isKnown: boolean): void;
}

const allRights: readonly Right[] = rights;
const answerWithinMs = 120_000;
const requestLetsWriteSeconds = 300;
const guardAnswersWithinMs = 10_000;

export function createControl(world: World, queries: Call['queries'], ownBot: () => Bot): TelegramControl {
  const getUser = (userId: number): User => {
    const user = world.users.get(userId);
    if (user === undefined) throw new Error(`The emulator has no person ${userId}.`);
    return user;
  };
  const getChat = (chatId: number): Chat => {
    const chat = world.chats.get(chatId) ?? ownBot().direct.get(chatId);
    if (chat === undefined) throw new Error(`The emulator has no chat ${chatId}.`);
    return chat;
  };
  const ownerOf = (chat: Chat): User => {
    const owner = chat.members.keys().find((id) => world.membershipOf(chat, id).status === 'creator');
    return getUser(owner ?? 0);
  };
  const control: TelegramControl = {
    createBot: ({ name = 'Latchkey', username = 'latchkey_bot', token } = {}) => {
      const user = world.addUser(name, { username, isBot: true });
      const bot: Bot = {
        user,
        token: token ?? `${user.id}:${world.nextToken('bot').slice(0, 35)}`,
        hasPrivacy: true,
        canGuard: true,
        commands: new Map(),
        direct: new Map(),
        blockedBy: new Set(),
      };
      world.bots.set(bot.token, bot);
      world.mailboxes.set(bot, new Mailbox(world.clock));
      return bot;
    },
    createUser: (name, id) => world.addUser(name, id === undefined ? {} : { id }),
    chats: () => [...world.chats.values()],
    createGroup: ({ title, type = 'supergroup', bot = allRights, ...rest }) => {
      const chat = world.addChat(type, title, rest);
      const owner = world.addUser(`${title} owner`);
      chat.members.set(owner.id, { status: 'creator' });
      if (bot !== false) control.setBot(chat.id, bot.length === 0 ? 'member' : bot);
      return chat;
    },
    setBot: (chatId, wanted, bot = ownBot()) => {
      const chat = getChat(chatId);
      const from = ownerOf(chat);
      world.setMembership(chat, bot.user, botMembership(wanted, from), { from });
    },
    setAdmin: (chatId, userId, rights) => {
      const chat = getChat(chatId);
      const from = ownerOf(chat);
      const next = rights.length === 0 ? ({ status: 'member' } as const) : botMembership(rights, from);
      world.setMembership(chat, getUser(userId), next, { from });
    },
    upgrade: (chatId) => upgrade(world, getChat(chatId), ownerOf(getChat(chatId))),
    setPhoto: (chatId, bytes) => {
      const chat = getChat(chatId);
      if (bytes === undefined) delete chat.photo;
      else chat.photo = { uniqueId: hash('md5', bytes), bytes };
    },
    statusOf: (chatId, userId) => world.membershipOf(getChat(chatId), userId),
    addMember: (chatId, userId) => {
      const user = getUser(userId);
      world.setMembership(getChat(chatId), user, { status: 'member' }, { from: user });
    },
    join: (userId, url) => join(world, getUser(userId), url),
    setGuard: (chatId, isGuard, bot = ownBot()) => {
      const chat = getChat(chatId);
      if (isGuard && !bot.canGuard) throw new Error('The bot does not support join request queries.');
      if (isGuard) chat.guardId = bot.user.id;
      else delete chat.guardId;
    },
    joinPages: (chatId) => {
      const queries = world.openJoinQueries().filter(({ chat }) => chat.id === chatId);
      return new Map(queries.flatMap(({ user, pageUrl }) => (pageUrl === undefined ? [] : [[user.id, pageUrl]])));
    },
    isWaiting: (chatId, userId) =>
      world.openJoinQueries().some(({ chat, user }) => chat.id === chatId && user.id === userId) ||
      getChat(chatId).requests.has(userId),
    signInitData: (userId, { authDate = world.nowSeconds(), bot = ownBot() } = {}) =>
      signInitData(getUser(userId), authDate, bot),
    addBy: (chatId, userId, byId) =>
      world.setMembership(getChat(chatId), getUser(userId), { status: 'member' }, { from: getUser(byId) }),
    createLink: (chatId, byId, { createsJoinRequest = false, name } = {}) => {
      const url = `https://t.me/+${world.nextToken('invite').slice(0, 16)}`;
      const own = { chatId, creator: getUser(byId), createsJoinRequest, isPrimary: false, isRevoked: false, used: 0 };
      const link: InviteLink = { url, ...own, ...(name === undefined ? {} : { name }) };
      getChat(chatId).links.set(url, link);
      world.links.set(url, link);
      return url;
    },
    leave: (chatId, userId) => {
      const user = getUser(userId);
      world.setMembership(getChat(chatId), user, { status: 'left' }, { from: user });
    },
    speak: (userId, chatId, text, replyTo) => {
      const chat = getChat(chatId);
      if (!world.isIn(chat, userId)) throw new Error(`The person ${userId} is not in the chat ${chatId}.`);
      return world.post(chat, getUser(userId), text, replyTo === undefined ? {} : { replyTo });
    },
    speakToBot: (userId, text, bot = ownBot()) => {
      const user = getUser(userId);
      const chat = directChat(bot, user);
      bot.blockedBy.delete(userId);
      delete chat.openUntilSeconds;
      return world.post(chat, user, text);
    },
    blockBot: (userId, bot = ownBot()) => {
      const user = getUser(userId);
      bot.blockedBy.add(userId);
      world.setMembership(directChat(bot, user), bot.user, { status: 'kicked', untilSeconds: 0 }, { from: user });
    },
    press: (userId, { id, chat }, data) => press(getUser(userId), chat.messages.get(id), data),
    sentMessages: (chatId) => world.sent.filter(({ chat }) => chatId === undefined || chat.id === chatId),
    ephemeralMessages: (chatId, userId) =>
      [...getChat(chatId).ephemeral.values()].filter(({ receiver }) => receiver.id === userId),
    setEphemeral: (isKnown) => {
      world.knowsEphemeral = isKnown;
    },
    linkChats: (channelId, groupId) => {
      const [channel, group] = [getChat(channelId), getChat(groupId)];
      if (channel.type !== 'channel' || group.type !== 'supergroup')
        throw new Error('A channel has a supergroup as its discussion group.');
      channel.linkedId = group.id;
      group.linkedId = channel.id;
    },
  };
  return control;

  async function press(user: User, message: Message | undefined, data: string) {
    const bot = world.mailboxes.keys().find((one) => one.user.id === message?.from.id);
    const hasButton = keyboardOf(message?.replyMarkup)
      .flat()
      .some((button) => buttonData(button) === data);
    if (message === undefined || bot === undefined || !hasButton) throw new Error(`There is no button ${data}.`);
    const id = world.nextToken('callback query');
    return new Promise<{ text?: string; showAlert: boolean }>((resolve, reject) => {
      const timer = setTimeout(() => {
        queries.delete(id);
        reject(new Error('The bot did not answer the button.'));
      }, answerWithinMs);
      queries.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      world.mailboxes.get(bot)?.put('callback_query', {
        id,
        from: viewUser(user),
        message: viewMessage(message),
        chat_instance: String(message.chat.id),
        data,
      });
    });
  }
}

function botMembership(wanted: readonly Right[] | 'member' | 'left' | 'kicked', owner: User): Membership {
  if (wanted === 'kicked') return { status: 'kicked', untilSeconds: 0 };
  if (wanted === 'member' || wanted === 'left') return { status: wanted };
  return { status: 'administrator', rights: new Set(wanted), promotedBy: owner.id };
}

/** Telegram's account for messages in the name of a chat. */
const inNameOfGroup: User = { id: 1_087_968_824, firstName: 'Group', username: 'GroupAnonymousBot', isBot: true };

function upgrade(world: World, group: Chat, owner: User): Chat {
  if (group.type !== 'group' || group.upgradedTo !== undefined) throw new Error('Only a group can be upgraded.');
  const supergroup = world.addChat('supergroup', group.title);
  for (const [userId, membership] of group.members) supergroup.members.set(userId, membership);
  world.post(group, owner, '', { upgradedTo: supergroup.id });
  group.upgradedTo = supergroup.id;
  world.post(supergroup, inNameOfGroup, '', { upgradedFrom: group.id });
  return supergroup;
}

function directChat(bot: Bot, user: User): Chat {
  const known = bot.direct.get(user.id);
  if (known) return known;
  const chat: Chat = {
    id: user.id,
    type: 'private',
    title: user.firstName,
    members: new Map([
      [user.id, { status: 'member' }],
      [bot.user.id, { status: 'member' }],
    ]),
    requests: new Map(),
    links: new Map(),
    messages: new Map(),
    nextMessageId: 1,
    ephemeral: new Map(),
    pinned: [],
  };
  bot.direct.set(user.id, chat);
  return chat;
}

function join(world: World, user: User, url: string): Joined {
  const link = world.links.get(url);
  const chat = link && world.chats.get(link.chatId);
  if (link === undefined || chat === undefined) throw new Error('This invite link is invalid.');
  checkLink(world, chat, user, link);
  if (!link.createsJoinRequest) {
    link.used += 1;
    world.setMembership(chat, user, { status: 'member' }, { from: user, link });
    return 'joined';
  }
  const guard = [...world.mailboxes.keys()].find((bot) => bot.user.id === chat.guardId);
  if (guard !== undefined && world.isAdministrator(chat, guard.user.id)) {
    askGuard(world, guard, { chat, user, link });
    return 'requested';
  }
  chat.requests.set(user.id, link);
  for (const [bot, mailbox] of world.mailboxes) {
    const membership = world.membershipOf(chat, bot.user.id);
    if (membership.status !== 'administrator' || !membership.rights.has('can_invite_users')) continue;
    const isStranger = bot.direct.get(user.id)?.openUntilSeconds !== undefined || !bot.direct.has(user.id);
    if (isStranger) directChat(bot, user).openUntilSeconds = world.nowSeconds() + requestLetsWriteSeconds;
    mailbox.put('chat_join_request', viewRequest(world, bot, { chat, user, link }));
  }
  return 'requested';
}

type Requested = Pick<JoinQuery, 'chat' | 'user' | 'link'>;

function viewRequest(world: World, bot: Bot, { chat, user, link }: Requested) {
  return {
    chat: viewChat(chat),
    from: viewUser(user),
    user_chat_id: user.id,
    date: world.nowSeconds(),
    invite_link: viewLink(link, bot.user.id),
  };
}

/** Asks the guard bot alone; it has ten seconds to show a page or to answer. */
function askGuard(world: World, bot: Bot, request: Requested): void {
  const { chat, user } = request;
  for (const { id, chat: place, user: other } of world.openJoinQueries())
    if (place === chat && other === user) world.joinQueries.delete(id);
  const id = world.nextToken('join query');
  world.joinQueries.set(id, { id, ...request, bot, expiresAtMs: world.clock() + guardAnswersWithinMs });
  if (!bot.direct.has(user.id) || bot.direct.get(user.id)?.openUntilSeconds !== undefined)
    directChat(bot, user).openUntilSeconds = world.nowSeconds() + requestLetsWriteSeconds;
  world.mailboxes.get(bot)?.put('chat_join_request', { ...viewRequest(world, bot, request), query_id: id });
}

/** Signs as Telegram does: https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app. */
function signInitData({ id, firstName, username, language = 'en' }: User, authDate: number, bot: Bot): string {
  const user = { id, first_name: firstName, ...(username === undefined ? {} : { username }), language_code: language };
  const fields = new URLSearchParams({
    query_id: `AA${id}`,
    user: JSON.stringify(user),
    auth_date: String(authDate),
    signature: 'not-checked-by-bots-that-have-the-token',
  });
  fields.sort();
  const lines = [...fields].map(([name, value]) => `${name}=${value}`).join('\n');
  const key = createHmac('sha256', 'WebAppData').update(bot.token).digest();
  fields.set('hash', createHmac('sha256', key).update(lines).digest('hex'));
  return fields.toString();
}

function checkLink(world: World, chat: Chat, user: User, link: InviteLink): void {
  if (world.membershipOf(chat, user.id).status === 'kicked')
    throw new Error(`${user.firstName} is banned from the chat.`);
  if (world.isIn(chat, user.id)) throw new Error(`${user.firstName} is in the chat already.`);
  const isOver = link.expiresAtSeconds !== undefined && link.expiresAtSeconds <= world.nowSeconds();
  const isFull = link.memberLimit !== undefined && link.used >= link.memberLimit;
  if (link.isRevoked || isOver || isFull) throw new Error('This invite link has expired.');
}
