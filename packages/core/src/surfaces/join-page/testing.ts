import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { decideJoin } from '../telegram/decide-join.ts';
import type { TelegramWorld } from '../telegram/testing-world.ts';
import { checkJoinRequest, openJoinPage } from './operations.ts';

/** Telegram chats whose requests to join reach the bot as queries. */
export class GuardedWorld {
  readonly w: TelegramWorld;
  #queries = 0;

  constructor(w: TelegramWorld) {
    this.w = w;
  }

  /** Requests to join. Returns the query, and the slug of the page once there is one. */
  async knock(chatId: string, userId: number, { isLate = false } = {}): Promise<string> {
    this.#queries += 1;
    const queryId = `q${this.#queries}`;
    const key = `${chatId}/${userId}`;
    if (!isLate) this.w.telegram.queries.set(queryId, key);
    this.w.telegram.waiting.add(key);
    const user = this.w.person(userId);
    await this.w.hear({ kind: 'join-requested', chatId, user, replyTo: String(userId), queryId });
    return queryId;
  }

  /** Runs what the job of a request does now; an error means that it is tried again. */
  async decide(chatId: string, userId: number, { isPageOver = false, ctx = this.w.ctx } = {}): Promise<unknown> {
    const row = await this.row(chatId, userId);
    const request = { communityId: communityKey('telegram', chatId), userId: String(userId), replyTo: String(userId) };
    const run = { attempt: 1, signal: new AbortController().signal };
    return decideJoin(ctx, { ...request, slug: row?.slug, isPageOver }, run).catch((error: unknown) => error);
  }

  async markShown(chatId: string, userId: number): Promise<void> {
    await this.w.services.db.pool.query(
      'update telegram_join_queries set page_at = $3 where community_id = $1 and user_id = $2',
      [communityKey('telegram', chatId), userKey('telegram', String(userId)), this.w.services.clock()],
    );
  }

  async row(chatId: string, userId: number) {
    const { rows } = await this.w.services.db.pool.query<{
      slug: string;
      outcome: string | null;
      page_at: Date | null;
    }>('select slug, outcome, page_at from telegram_join_queries where community_id = $1 and user_id = $2', [
      communityKey('telegram', chatId),
      userKey('telegram', String(userId)),
    ]);
    return rows[0];
  }

  open(slug: string, userId: number, ageSeconds = 0) {
    const seconds = Math.floor(this.w.services.clock().getTime() / 1000) - ageSeconds;
    const anyone = contextFor(this.w.services, { kind: 'anonymous' });
    return openJoinPage(anyone, { slug, body: { initData: `${userId}@${seconds}` } });
  }

  check(slug: string, userId: number, services: Services = this.w.services) {
    return checkJoinRequest(this.as(userId, services), { slug });
  }

  as(userId: number, services: Services = this.w.services): Context {
    return contextFor(services, {
      kind: 'user',
      userId: userKey('telegram', String(userId)),
      platform: 'telegram',
      scopes: ['user:wallet:write'],
      credential: 'connect-link',
    });
  }
}
