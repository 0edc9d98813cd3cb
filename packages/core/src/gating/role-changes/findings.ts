import type { Refusal } from '../../ports/index.ts';
import { sameRefusals } from './breaker-queries.ts';
import type { WrittenItem } from './settle.ts';

/** Changes that are not tried, and why. */
export interface Aside {
  items: readonly WrittenItem[];
  refusal: Refusal;
}

/** What one run has found out about roles, for all members that are written to at the same time. */
export class Findings {
  readonly #refusals = new Map<string, Refusal>();
  readonly #refusedTo = new Map<string, Set<string>>();
  #community: Refusal | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** Remembers a refusal for the others. A role that is refused to several members, one by one, is itself at fault. */
  note(refusal: Refusal, userId: string): void {
    const { roleId, scope = 'role' } = refusal;
    if (scope === 'community') this.#community = refusal;
    if (roleId === undefined || scope === 'member') return;
    const members = (this.#refusedTo.get(roleId) ?? new Set()).add(userId);
    this.#refusedTo.set(roleId, members);
    if (scope === 'role' || members.size >= sameRefusals) this.#refusals.set(roleId, { ...refusal, scope: 'role' });
  }

  /** What is left to try of these changes, by all that is known by now. */
  sort(items: readonly WrittenItem[]): { free: readonly WrittenItem[]; aside: Aside[] } {
    if (this.#community !== undefined) return { free: [], aside: [{ items, refusal: this.#community }] };
    const free = items.filter((item) => !this.#refusals.has(item.role_id));
    const aside = items.flatMap((item) => {
      const refusal = this.#refusals.get(item.role_id);
      return refusal === undefined ? [] : [{ items: [item], refusal }];
    });
    return { free, aside };
  }

  /** Runs one piece of work at a time: while a culprit is searched for among one member's changes, the others wait. */
  alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#turn.then(work, work);
    this.#turn = next.catch(() => undefined);
    return next;
  }
}
