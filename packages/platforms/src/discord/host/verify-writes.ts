import { type DiscordMemberObject, MemberUnreadable, PlatformFailed } from '@latchkey/core/ports';
import type { DiscordClient } from '../rest/create-client.ts';
import { compareIds, idBefore, type MemberPage, readMember, readPage } from './members.ts';

/** Receives the member as read after the acknowledged write; undefined for a member who left. */
type Settle = { resolve(member: DiscordMemberObject | undefined): void; reject(error: unknown): void };

interface Guild {
  /** Writes without a response yet. */
  unsent: number;
  waiting: Map<string, Settle[]>;
  oldestAtMs: number;
  isRunning: boolean;
  changed: PromiseWithResolvers<void>;
}

// While more writes of the guild are in flight, this many are checked together, or after this delay.
const batchSize = 45;
const lingerMs = 10_000;
const lonely = 2;

/**
 * Reads members back after their writes. Discord sometimes reports success without doing anything, so only a read can tell. Reads are
 * batched: one page of the member list checks up to a thousand writes.
 */
export class WriteChecks {
  readonly #client: DiscordClient;
  readonly #guilds = new Map<string, Guild>();

  constructor(client: DiscordClient) {
    this.#client = client;
  }

  /** Counts a write in flight, so that its check can be batched with others. */
  async during<Result>(guildId: string, write: () => Promise<Result>): Promise<Result> {
    const guild = this.#guildOf(guildId);
    guild.unsent += 1;
    try {
      return await write();
    } finally {
      guild.unsent -= 1;
      this.#forgetIfIdle(guildId, guild);
      // One turn later, so that the check of this write is part of the batch.
      setImmediate(() => guild.changed.resolve());
    }
  }

  /** Returns the member's current state. Throws `PlatformFailed`. */
  read(guildId: string, userId: string): Promise<DiscordMemberObject | undefined> {
    const guild = this.#guildOf(guildId);
    const { promise, resolve, reject } = Promise.withResolvers<DiscordMemberObject | undefined>();
    if (guild.waiting.size === 0) guild.oldestAtMs = this.#client.governor.time.nowMs();
    guild.waiting.set(userId, [...(guild.waiting.get(userId) ?? []), { resolve, reject }]);
    guild.changed.resolve();
    if (!guild.isRunning) void this.#run(guildId, guild);
    return promise;
  }

  #guildOf(guildId: string): Guild {
    let guild = this.#guilds.get(guildId);
    if (guild === undefined) {
      const changed = Promise.withResolvers<void>();
      guild = { unsent: 0, waiting: new Map(), oldestAtMs: 0, isRunning: false, changed };
      this.#guilds.set(guildId, guild);
    }
    return guild;
  }

  #forgetIfIdle(guildId: string, guild: Guild): void {
    const isIdle = guild.unsent === 0 && guild.waiting.size === 0 && !guild.isRunning;
    if (isIdle && this.#guilds.get(guildId) === guild) this.#guilds.delete(guildId);
  }

  async #run(guildId: string, guild: Guild): Promise<void> {
    guild.isRunning = true;
    while (guild.waiting.size > 0) {
      await this.#untilDue(guild);
      const batch = guild.waiting;
      guild.waiting = new Map();
      await this.#check(guildId, batch);
    }
    guild.isRunning = false;
    this.#forgetIfIdle(guildId, guild);
  }

  async #untilDue(guild: Guild): Promise<void> {
    const { time } = this.#client.governor;
    const dueAtMs = guild.oldestAtMs + lingerMs;
    const enough = new AbortController();
    const wake = time.sleepUntil(dueAtMs, enough.signal);
    while (guild.unsent > 0 && guild.waiting.size < batchSize && time.nowMs() < dueAtMs) {
      guild.changed = Promise.withResolvers<void>();
      await Promise.race([guild.changed.promise, wake]);
    }
    enough.abort();
  }

  async #check(guildId: string, batch: Map<string, Settle[]>): Promise<void> {
    const settle = (userId: string, member: DiscordMemberObject | undefined) => {
      for (const { resolve } of batch.get(userId) ?? []) resolve(member);
      batch.delete(userId);
    };
    try {
      await this.#checkByPages(guildId, batch, settle);
      const ids = [...batch.keys()];
      const priority = 'verify';
      await Promise.all(ids.map((id) => this.#checkOne(guildId, id, batch, settle, priority)));
    } catch (error) {
      for (const waiting of batch.values()) for (const { reject } of waiting) reject(error);
    }
  }

  /** A member that cannot be read fails only its own check. */
  async #checkOne(
    guildId: string,
    id: string,
    batch: Map<string, Settle[]>,
    settle: (userId: string, member: DiscordMemberObject | undefined) => void,
    priority: 'verify',
  ): Promise<void> {
    try {
      settle(id, await readMember(this.#client, guildId, id, { priority }));
    } catch (error) {
      if (!(error instanceof MemberUnreadable)) throw error;
      for (const { reject } of batch.get(id) ?? []) reject(error);
      batch.delete(id);
    }
  }

  /** Reads pages as long as each of them checks several members. The rest are few or far apart. */
  async #checkByPages(
    guildId: string,
    batch: Map<string, Settle[]>,
    settle: (userId: string, member: DiscordMemberObject | undefined) => void,
  ): Promise<void> {
    while (batch.size > lonely) {
      const ids = [...batch.keys()].toSorted(compareIds);
      const page = await this.#readPage(guildId, idBefore(ids[0] ?? '1'));
      if (page === undefined) return;
      const { members, next, malformed, isCutOff } = page;
      const byId = new Map(members.map((member) => [member.user.id, member]));
      // From a page with unreadable entries, only the members on it count; the others are read one by one.
      const isWhole = malformed === 0 && !isCutOff;
      const covered = ids.filter((id) => (isWhole ? next === undefined || compareIds(id, next) <= 0 : byId.has(id)));
      for (const id of covered) settle(id, byId.get(id));
      if (!isWhole || covered.length <= lonely) return;
    }
  }

  // Without the members intent there is no list, but each member can still be read.
  async #readPage(guildId: string, after: string): Promise<MemberPage | undefined> {
    try {
      return await readPage(this.#client, guildId, after, { priority: 'verify' });
    } catch (error) {
      if (error instanceof PlatformFailed && error.kind === 'forbidden') return undefined;
      throw error;
    }
  }
}
