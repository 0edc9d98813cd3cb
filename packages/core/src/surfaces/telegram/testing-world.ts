import type { Worker } from '@latchkey/db';
import { until } from '@latchkey/test-kit';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { type MemberRow, selectMembers } from '../../communities/memberships/index.ts';
import type { TelegramEvent, TelegramPerson } from '../../ports/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { handleTelegramEvent } from './check-updates.ts';
import {
  addChat,
  linkWallet,
  type MemoryTelegram,
  memoryTelegram,
  startTestWorker,
  token,
  walletOf,
} from './testing.ts';

/** Telegram chats and people in memory, with a real database and a worker. */
export class TelegramWorld {
  readonly t: TestPlatform;
  readonly telegram: MemoryTelegram;
  readonly services: Services;
  readonly ctx: Context;
  readonly #worker: Worker;
  #numbers = 1_000;

  static async open(seed: string): Promise<TelegramWorld> {
    const t = await testPlatform(seed);
    await ensureSigningKeys(t.services);
    return new TelegramWorld(t);
  }

  private constructor(t: TestPlatform) {
    this.t = t;
    this.telegram = memoryTelegram();
    this.services = { ...t.services, telegram: this.telegram.api, hosts: { telegram: this.telegram.host } };
    this.ctx = contextFor(this.services, { kind: 'system', job: 'test' });
    this.#worker = startTestWorker(this.services);
  }

  /** From now on jobs wait. */
  async stopWorker(): Promise<void> {
    await this.#worker.stop(1_000);
  }

  async close(): Promise<void> {
    await this.stopWorker();
    await this.t.close();
  }

  newNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  person(id: number, isBot = false): TelegramPerson {
    return { id: String(id), name: `user${id}`, isBot };
  }

  hear(event: TelegramEvent): Promise<void> {
    return handleTelegramEvent(this.ctx, event);
  }

  /** Waits until all Telegram jobs are done; those of other modules do not matter. */
  async settled(): Promise<void> {
    const words = `select from jobs where name like 'telegram.%' and state <> 'dead'`;
    const isDone = async () => (await this.t.services.db.pool.query(words)).rows.length === 0;
    await until('all Telegram jobs are done', isDone);
  }

  newChat(): string {
    const chatId = String(-100_000 - this.newNumber());
    this.telegram.host.addCommunity(chatId);
    return chatId;
  }

  /** A chat with a rule that requires one token of its members. */
  async newGatedChat(): Promise<string> {
    const chatId = this.newChat();
    const id = await addChat(this.services, chatId, this.newNumber());
    // A new rule re-checks every member; tests start after that.
    const words = 'select from reconcile_queue where community_id = $1';
    const isChecked = async () => (await this.t.services.db.pool.query(words, [id])).rows.length === 0;
    await until('every member was checked', isChecked);
    return chatId;
  }

  async newHolder(amount = '1'): Promise<number> {
    const userId = this.newNumber();
    await linkWallet(this.services, userId);
    this.hold(userId, amount);
    return userId;
  }

  hold(userId: number, amount: string): void {
    const holding = { chain: 'evm:1', standard: 'erc20', reference: token, account: walletOf(userId) };
    this.t.holdings.set(holding, amount);
  }

  async addBot(chatId: string, userId: number): Promise<void> {
    await this.hear({ kind: 'bot-added', chatId, title: 'Cat Club', user: this.person(userId) });
  }

  async knock(chatId: string, userId: number): Promise<void> {
    this.telegram.waiting.add(`${chatId}/${userId}`);
    await this.hear({ kind: 'join-requested', chatId, user: this.person(userId), replyTo: String(userId) });
  }

  isWaiting(chatId: string, userId: number): boolean {
    return this.telegram.waiting.has(`${chatId}/${userId}`);
  }

  isIn(chatId: string, userId: number): boolean {
    return this.telegram.host.rolesOf(chatId, String(userId)) !== undefined;
  }

  sentTo(chatId: string | number): MemoryTelegram['sent'] {
    return this.telegram.sent.filter((message) => message.chatId === String(chatId));
  }

  communityOf(chatId: string): Promise<CommunityRow | undefined> {
    return selectCommunity(this.services.db.system, communityKey('telegram', chatId));
  }

  async memberOf(chatId: string, userId: number): Promise<MemberRow | undefined> {
    const userIds = [userKey('telegram', String(userId))];
    return (await selectMembers(this.services.db.system, communityKey('telegram', chatId), userIds))[0];
  }
}
