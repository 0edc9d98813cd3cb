import { startWorker, type Worker } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { communityJobs } from '../../communities/admins/index.ts';
import { createCommunity } from '../../communities/community/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { gatingJobs } from '../../gating/role-changes/index.ts';
import {
  PlatformFailed,
  type TelegramAction,
  type TelegramApi,
  type TelegramButton,
  type TelegramCommand,
  type TelegramGuard,
  type TelegramLinkedChat,
  type TelegramWebhook,
} from '../../ports/index.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { type MemoryHost, memoryHost, patienceMs } from '../../testing/index.ts';
import { telegramJobs } from './jobs.ts';
import { memberRole } from './member-role.ts';

/** Telegram in memory, as one bot sees it. */
export interface MemoryTelegram {
  api: TelegramApi;
  host: MemoryHost;
  sent: { chatId: string; text: string; button: TelegramButton | undefined }[];
  /** Editable messages in their current state; the id is the index. */
  posts: { chatId: string; text: string; buttons: readonly (TelegramAction | TelegramButton)[] }[];
  /** Messages in chats that one member saw. */
  whispers: { chatId: string; userId: string; text: string }[];
  /** Whether chats can show them. */
  canWhisper: boolean;
  /** The button presses that were acknowledged. */
  ended: string[];
  /** Pending join requests, as chat/user. */
  waiting: Set<string>;
  /** Users who blocked the bot. */
  deaf: Set<string>;
  /** Open queries of join requests, as chat/user by id. Telegram has given up those that are not here. */
  queries: Map<string, string>;
  /** The pages that were shown, as [chat/user, URL]. */
  pages: [string, string][];
  /** Requests that were left to the administrators, as chat/user. */
  queued: string[];
  revoked: string[];
  guard: TelegramGuard;
  /** The other chat of channels and discussion groups, by chat. */
  linked: Map<string, TelegramLinkedChat>;
  /** Permissions that the bot lacks in every chat. */
  missing: string[];
  webhook: TelegramWebhook;
  /** The messages that are pinned, as chat/message. */
  pinned: Set<string>;
  /** The commands of the menu, by language; those for all other languages under ''. */
  commands: Map<string, readonly TelegramCommand[]>;
}

export function memoryTelegram(): MemoryTelegram {
  const host = memoryHost('telegram');
  const telegram: MemoryTelegram = {
    api: memoryApi(),
    host,
    sent: [],
    posts: [],
    whispers: [],
    canWhisper: true,
    ended: [],
    waiting: new Set(),
    deaf: new Set(),
    queries: new Map(),
    pages: [],
    queued: [],
    revoked: [],
    guard: 'assigned',
    linked: new Map(),
    missing: [],
    webhook: { url: undefined, waiting: 0 },
    pinned: new Set(),
    commands: new Map(),
  };
  const { writeMember } = host;
  host.listsEveryone = false;
  host.readMembers = async function* () {};
  host.writeMember = async (write, signal) => {
    const { communityId, userId, add } = write;
    if (write.isJoinRequest && add.length === 0) {
      const outcome = telegram.waiting.delete(`${communityId}/${userId}`);
      return outcome ? { kind: 'written', roleIds: [], calls: 1, hasLeft: true } : { kind: 'gone' };
    }
    const roleIds = host.rolesOf(communityId, userId);
    if (write.isJoinRequest && roleIds?.includes(memberRole)) return { kind: 'written', roleIds, calls: 0 };
    const isLetIn = add.includes(memberRole) && telegram.waiting.delete(`${communityId}/${userId}`);
    if (isLetIn) host.addMember(communityId, userId, [memberRole]);
    const outcome = await writeMember(write, signal);
    if (outcome.kind !== 'written' || outcome.roleIds.includes(memberRole)) return outcome;
    host.removeMember(communityId, userId);
    return { ...outcome, hasLeft: true };
  };
  return telegram;

  function memoryApi(): TelegramApi {
    return {
      botName: async () => 'gate_bot',
      missingRights: async () => telegram.missing,
      createInvite: async (chatId, { name, expiresAt }) => {
        if (telegram.missing.length > 0) throw new PlatformFailed('forbidden', 'Make the bot an administrator.');
        return `https://t.me/+${chatId}/${name}/${expiresAt.toISOString()}`;
      },
      revokeInvite: async (_chatId, url) => void telegram.revoked.push(url),
      readLinkedChat: async (chatId) => telegram.linked.get(chatId),
      readGuard: async () => telegram.guard,
      openJoinPage: async (queryId, url) => {
        const request = telegram.queries.get(queryId);
        if (request !== undefined) telegram.pages.push([request, url]);
        return request !== undefined;
      },
      queueJoinRequest: async (queryId) => {
        const request = telegram.queries.get(queryId);
        if (request !== undefined) telegram.queued.push(request);
        return telegram.queries.delete(queryId);
      },
      // Telegram's signature is checked by the adapter; here the data is the id of the user and the time.
      readInitData: (initData) => {
        const [id = '', seconds] = initData.split('@');
        if (seconds === undefined) return undefined;
        return { user: { id, name: `user${id}`, isBot: false }, authDate: new Date(Number(seconds) * 1000) };
      },
      send: async (chatId, text, button) => {
        if (telegram.deaf.has(chatId)) throw new PlatformFailed('forbidden', 'The bot was blocked by the user.');
        telegram.sent.push({ chatId, text, button });
      },
      post: async (chatId, { text, buttons }) => {
        if (telegram.deaf.has(chatId)) throw new PlatformFailed('forbidden', 'The bot was blocked by the user.');
        const [button] = buttons.flat();
        telegram.sent.push({ chatId, text, button: button && 'url' in button ? button : undefined });
        telegram.posts.push({ chatId, text, buttons: buttons.flat() });
        return String(telegram.posts.length);
      },
      edit: async (chatId, messageId, { text, buttons }) => {
        const post = telegram.posts[Number(messageId) - 1];
        if (post?.chatId !== chatId) return false;
        Object.assign(post, { text, buttons: buttons.flat() });
        return true;
      },
      whisper: async (chatId, userId, text) => {
        if (telegram.canWhisper) telegram.whispers.push({ chatId, userId, text });
        return telegram.canWhisper;
      },
      pin: async (chatId, messageId) => {
        if (telegram.missing.includes('pin messages'))
          throw new PlatformFailed('forbidden', 'The bot may not pin messages.');
        telegram.pinned.add(`${chatId}/${messageId}`);
      },
      endPress: async (pressId) => void telegram.ended.push(pressId),
      setCommands: async (commands, language = '') => void telegram.commands.set(language, commands),
      readWebhook: async () => telegram.webhook,
    };
  }
}

export const token = '0x00000000000000000000000000000000000000cc';

export function walletOf(userId: number): string {
  return `0x${userId.toString(16).padStart(40, '0')}`;
}

/** A chat with an owner and a rule that requires one token of its members. */
export async function addChat(services: Services, chatId: string, ownerId: number): Promise<string> {
  const system: Actor = { kind: 'system', job: 'test' };
  const owner: Actor = {
    kind: 'user',
    userId: userKey('telegram', String(ownerId)),
    platform: 'telegram',
    scopes: [],
    credential: 'wallet-session',
  };
  const place = { platform: 'telegram', communityId: chatId, name: 'Cat Club', ownerId: owner.userId } as const;
  await createCommunity(contextFor(services, system), { body: place });
  const id = communityKey('telegram', chatId);
  const body = { type: 'ERC20', chainId: 1, contractAddress: token, minToken: '1', roleId: memberRole };
  await createRule(contextFor(services, owner), { id, body });
  return id;
}

export async function linkWallet({ db, clock }: Services, userId: number): Promise<void> {
  await db.pool.query(
    `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
     values ($1, $2, 'telegram', 'evm', $3, $4)`,
    [`w${userId}`, userKey('telegram', String(userId)), walletOf(userId), clock()],
  );
}

/** Starts a worker in this process that runs the jobs of Telegram and of roles. */
export function startTestWorker(services: Services): Worker {
  return startWorker({
    db: services.db,
    patienceMs,
    kinds: [...telegramJobs, ...gatingJobs, ...communityJobs],
    log: services.log,
    random: services.random,
    makeContext: (kind) => contextFor(services, { kind: 'system', job: kind.name }),
    validate: () => undefined,
    concurrency: 4,
  });
}

/** Re-checks every member, as the schedule does. */
export function resync({ db }: Services, communityId: string): Promise<void> {
  return enqueueReconcile(db.system, { communityId, members: '*', cause: 'schedule' });
}
