import type { WriteOutcome } from '@latchkey/core/ports';
import type { Time } from '../governor/index.ts';

export type Forbidden = Extract<WriteOutcome, { kind: 'forbidden' }>;

/** Why a write was held back: another write of the same role was refused. */
export class Suspicion {
  readonly explanation: Promise<Forbidden>;

  constructor(explanation: Promise<Forbidden>) {
    this.explanation = explanation;
  }
}

/** A write that must stop as soon as Discord forbids it. */
interface Watched {
  roleIds: readonly string[];
  controller: AbortController;
}

const rememberedMs = 60_000;

/**
 * What Discord recently forbade. One refusal stops every waiting write of the same kind: each would be refused as well and count towards
 * the ban of the IP address.
 */
export class Refusals {
  readonly #time: Time;
  readonly #known = new Map<string, { outcome: Forbidden; untilMs: number }[]>();
  readonly #watched = new Map<string, Set<Watched>>();

  constructor(time: Time) {
    this.#time = time;
  }

  find(guildId: string, roleIds: readonly string[]): Forbidden | undefined {
    const nowMs = this.#time.nowMs();
    const lasting = (this.#known.get(guildId) ?? []).filter(({ untilMs }) => untilMs > nowMs);
    if (lasting.length === 0) this.#known.delete(guildId);
    return lasting.find(({ outcome }) => concerns(outcome, roleIds))?.outcome;
  }

  /**
   * Holds back the waiting writes of these roles until it is known what exactly is forbidden. They receive the explanation as the reason of
   * their signal.
   */
  suspect(guildId: string, roleIds: readonly string[], explanation: Promise<Forbidden>): void {
    const suspicion = new Suspicion(explanation);
    for (const watched of this.#watched.get(guildId) ?? []) {
      if (watched.roleIds.some((roleId) => roleIds.includes(roleId))) watched.controller.abort(suspicion);
    }
  }

  add(guildId: string, outcome: Forbidden): void {
    // A refusal about one member, or about nothing in particular, does not apply to other members.
    if (!concerns(outcome, [outcome.roleId ?? ''])) return;
    const known = this.#known.get(guildId) ?? [];
    this.#known.set(guildId, [
      ...known.filter((other) => other.outcome.roleId !== outcome.roleId),
      { outcome, untilMs: this.#time.nowMs() + rememberedMs },
    ]);
  }

  forget(guildId: string): void {
    this.#known.delete(guildId);
  }

  /** Runs `work` with a signal that stops it when one of the roles is suspected to be forbidden. */
  async watch<Result>(
    guildId: string,
    roleIds: readonly string[],
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const stop = () => controller.abort(signal?.reason);
    const entry: Watched = { roleIds, controller };
    const ofGuild = this.#watched.get(guildId) ?? new Set();
    this.#watched.set(guildId, ofGuild.add(entry));
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await work(controller.signal);
    } finally {
      signal?.removeEventListener('abort', stop);
      ofGuild.delete(entry);
      if (ofGuild.size === 0) this.#watched.delete(guildId);
    }
  }
}

/** Whether a refusal applies to any write of these roles. */
export function concerns({ roleId, scope = 'role' }: Forbidden, roleIds: readonly string[]): boolean {
  if (scope === 'community') return true;
  return scope === 'role' && roleId !== undefined && roleIds.includes(roleId);
}
