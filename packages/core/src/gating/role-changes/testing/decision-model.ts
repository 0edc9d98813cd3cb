import assert from 'node:assert/strict';

export const members = Array.from({ length: 9 }, (_, member) => member);
export const roles = ['gold', 'silver'];
/** The role that some communities grant only with approval. */
export const needsApproval = 'gold';
/** Of communities whose removals never need approval. */
export const noLimit = Number.MAX_SAFE_INTEGER;
const pairs = members.flatMap((member) => roles.map((role) => ({ member, role })));

export interface Pair {
  member: number;
  role: string;
}

type Action = 'grant' | 'revoke';

export function keyOf({ member, role }: Pair): string {
  return `${member}/${role}`;
}

const roleIn = (key: string) => key.slice(key.indexOf('/') + 1);

interface Entry {
  key: string;
  action: Action;
  changeSetId: string;
  auto: boolean;
}

interface WaitingItem {
  key: string;
  action: Action;
  changeSetId: string;
  /** The change set that it undoes. */
  undoes: string | null;
  is_of_edit: boolean;
}

/**
 * What a community must look like after checks and decisions. It knows rules, balances, limits and what admins decided, and nothing
 * about plans: of a check it only demands that each pair it decides about has what the rules say or waits for approval, and that
 * exactly those wait that the limits stop.
 */
export class DecisionModel {
  readonly approvesGrants: boolean;
  readonly perDay: number;
  readonly approvers: number;
  readonly amounts = new Map(pairs.map((pair) => [keyOf(pair), 0]));
  readonly needed = new Map(roles.map((role) => [role, 2]));
  readonly held = new Set<string>();
  /** By whose undo or rejection each pair is suppressed. */
  readonly suppressed = new Map<string, string>();
  /** What waits for approval, by change set. */
  readonly waiting = new Map<string, Map<string, Action>>();
  /** The change set that last wrote each pair, and what it did. */
  readonly #last = new Map<string, { changeSetId: string; action: Action }>();
  /** Which change set each undo undoes, and the pairs that it was to revert or cancelled. */
  readonly #undoes = new Map<string, { of: string; keys: string[] }>();
  readonly #lost = new Map(roles.map((role) => [role, new Set<string>()]));
  readonly #lostByUndo = new Map(roles.map((role) => [role, new Set<string>()]));
  #entries: Entry[] = [];
  #checked: { keys: Set<string>; before: Map<string, number> } = { keys: new Set(), before: new Map() };
  #wasWaiting = new Map<string, Map<string, Action>>();
  #expected: Set<string> | undefined;

  constructor(policy: Pick<DecisionModel, 'approvesGrants' | 'perDay' | 'approvers'>) {
    this.approvesGrants = policy.approvesGrants;
    this.perDay = policy.perDay;
    this.approvers = policy.approvers;
  }

  get isBraked(): boolean {
    return this.approvesGrants || this.perDay !== noLimit;
  }

  undoneBy(changeSetId: string): string | undefined {
    return this.#undoes.get(changeSetId)?.of;
  }

  #qualifies(key: string): boolean {
    return (this.amounts.get(key) ?? 0) >= (this.needed.get(roleIn(key)) ?? 0);
  }

  toggle(pair: Pair): void {
    const key = keyOf(pair);
    if (!this.held.delete(key)) this.held.add(key);
  }

  resumeRole(role: string): void {
    for (const key of [...this.suppressed.keys()]) if (roleIn(key) === role) this.suppressed.delete(key);
  }

  /** A check of some members is over. What it did is learned next. */
  check(
    checked: readonly number[],
    { requested, edited }: { requested: readonly number[]; edited?: string | undefined },
  ): void {
    if (edited !== undefined) this.resumeRole(edited);
    for (const key of [...this.suppressed.keys()])
      if (requested.some((member) => key.startsWith(`${member}/`))) this.suppressed.delete(key);
    const keys = pairs.filter(({ member }) => checked.includes(member)).map(keyOf);
    this.#checked = {
      keys: new Set(keys.filter((key) => !this.suppressed.has(key))),
      before: new Map([...this.#lost].map(([role, lost]) => [role, lost.size])),
    };
    this.#wasWaiting = new Map([...this.waiting].map(([id, items]) => [id, new Map(items)]));
  }

  /**
   * Replays what was written. Each entry changes something, unless the process that was to write it died: then what the platform shows
   * counts as written. No check writes a pair that it did not decide about.
   */
  learn(entries: readonly Entry[], { where, mayRepeat }: { where: string; mayRepeat: boolean }): void {
    const expected = this.#expected;
    this.#expected = undefined;
    this.#entries = [...entries];
    for (const { key, action, changeSetId, auto } of entries) {
      const isNew = this.held.has(key) !== (action === 'grant');
      assert.ok(isNew || mayRepeat, `${where}: ${action} of ${key} changed nothing`);
      if (action === 'grant') this.held.add(key);
      else this.held.delete(key);
      this.#last.set(key, { changeSetId, action });
      if (action === 'revoke' && auto) this.#lost.get(roleIn(key))?.add(key);
      if (action === 'revoke' && this.#undoes.has(changeSetId) && !this.#wereHeld.has(changeSetId))
        this.#lostByUndo.get(roleIn(key))?.add(key);
      if (auto)
        assert.ok(this.#checked.keys.has(key), `${where}: ${key} was written, though no check decided about it`);
    }
    if (expected !== undefined)
      assert.deepEqual([...this.held].toSorted(), [...expected].toSorted(), `${where}: decided otherwise`);
  }

  /** After a check: each pair it decided about has what the rules say or waits, and the limits explain who waits. */
  acceptWaiting(items: readonly WaitingItem[], where: string): void {
    const { keys, before } = this.#checked;
    this.#setWaiting(items);
    for (const [id, was] of this.#wasWaiting)
      for (const [key, action] of was)
        if (!keys.has(key)) assert.equal(this.waiting.get(id)?.get(key), action, `${where}: ${key} still waits`);
    const fresh: WaitingItem[] = [];
    for (const item of items) {
      const { key, action, changeSetId } = item;
      if (keys.has(key)) assert.equal(action === 'grant', this.#qualifies(key), `${where}: ${key} is outdated`);
      if (this.#wasWaiting.get(changeSetId)?.has(key)) continue;
      assert.ok(keys.has(key), `${where}: ${key} waits, though no check decided about it`);
      fresh.push(item);
    }
    const waits = new Set(items.map(({ key }) => key));
    for (const key of keys)
      if (!waits.has(key)) assert.equal(this.held.has(key), this.#qualifies(key), `${where}: ${key} was overlooked`);
    for (const role of roles) this.#explain(role, fresh, before.get(role) ?? 0, where);
  }

  #explain(role: string, fresh: readonly WaitingItem[], lostBefore: number, where: string): void {
    const written = this.#entries.filter(({ key, auto }) => auto && roleIn(key) === role);
    const waiting = fresh.filter(({ key, is_of_edit }) => roleIn(key) === role && !is_of_edit);
    const removals = written.filter(({ action }) => action === 'revoke').length;
    const grants = written.filter(({ action }) => action === 'grant').length;
    const isFreeToGrant = !(this.approvesGrants && role === needsApproval);
    if (!isFreeToGrant) assert.equal(grants, 0, `${where}: ${role} was granted without approval`);
    if (isFreeToGrant)
      assert.ok(!waiting.some(({ action }) => action === 'grant'), `${where}: grants of ${role} wait for nothing`);
    const waitingRemovals = waiting.filter(({ action }) => action === 'revoke').length;
    const limit = this.perDay;
    if (removals > 0) assert.ok(lostBefore + removals <= limit, `${where}: ${removals} more removals of ${role}`);
    if (waitingRemovals > 0)
      assert.ok(lostBefore + removals + waitingRemovals > limit, `${where}: removals of ${role} wait for nothing`);
  }

  /** After a decision, exactly what it left waits. */
  expectWaiting(items: readonly WaitingItem[], where: string): void {
    const expected = [...this.waiting].flatMap(([id, of]) => [...of].map(([key, action]) => `${id} ${key} ${action}`));
    const found = items.map(({ changeSetId, key, action }) => `${changeSetId} ${key} ${action}`);
    assert.deepEqual(found.toSorted(), expected.toSorted(), `${where}: something else waits`);
  }

  #setWaiting(items: readonly WaitingItem[]): void {
    this.waiting.clear();
    for (const { changeSetId, key, action } of items) {
      const of = this.waiting.get(changeSetId) ?? new Map<string, Action>();
      this.waiting.set(changeSetId, of.set(key, action));
    }
  }

  /** Notes an approval of a held change set, and returns whether it was the last that is needed. */
  needsLastApproval(id: string): boolean {
    if (this.approvers === 1 || this.#approvedOnce.has(id)) return true;
    this.#approvedOnce.add(id);
    return false;
  }

  readonly #approvedOnce = new Set<string>();

  approve(id: string): void {
    const undone = this.#undoes.get(id)?.of;
    const items = this.waiting.get(id) ?? new Map<string, Action>();
    this.waiting.delete(id);
    const expected = new Set(this.held);
    for (const [key, action] of items) {
      // What was decided since the undo was requested stays.
      if (undone !== undefined && this.#last.get(key)?.changeSetId !== undone) continue;
      if (action === 'grant') expected.add(key);
      else expected.delete(key);
    }
    if (undone !== undefined) this.#resumeUndone(undone);
    this.#expected = expected;
    this.#checked = { keys: new Set(), before: new Map() };
  }

  /** One admin who approves only the grants has rejected the removals, whether or not another must approve the grants. */
  rejectRemovals(id: string): void {
    const items = this.waiting.get(id) ?? new Map<string, Action>();
    for (const [key, action] of [...items])
      if (action === 'revoke') {
        items.delete(key);
        this.suppressed.set(key, id);
      }
  }

  reject(id: string, restoredRoles: readonly string[] = []): void {
    const items = this.waiting.get(id) ?? new Map<string, Action>();
    this.waiting.delete(id);
    if (this.#undoes.has(id)) this.#resumeUndone(id);
    else for (const key of items.keys()) if (!restoredRoles.includes(roleIn(key))) this.suppressed.set(key, id);
    this.#checked = { keys: new Set(), before: new Map() };
  }

  /** Ends what an undo suppressed. */
  #resumeUndone(undoId: string): void {
    const { of, keys } = this.#undoes.get(undoId) ?? { of: '', keys: [] };
    for (const key of keys) if (this.suppressed.get(key) === of) this.suppressed.delete(key);
  }

  /** Returns whether the undo must wait for approval. */
  undo(id: string, undoId: string): boolean {
    const concerned = pairs.map(keyOf).filter((key) => this.#last.get(key)?.changeSetId === id);
    const wrote = (key: string) => this.#last.get(key)?.action;
    const reverted = concerned.filter((key) => this.held.has(key) === (wrote(key) === 'grant'));
    const isHeld = this.#isUndoHeld(reverted, wrote);
    const before = this.#undoes.get(id);
    this.#undoes.set(undoId, { of: id, keys: concerned });
    if (before === undefined) for (const key of concerned) this.suppressed.set(key, id);
    else if (!isHeld) this.#resumeUndone(id);
    const inverse = (key: string): Action => (wrote(key) === 'grant' ? 'revoke' : 'grant');
    const expected = new Set(this.held);
    if (isHeld) {
      this.#wereHeld.add(undoId);
      // The request is the first approval.
      this.#approvedOnce.add(undoId);
      if (concerned.length > 0) this.waiting.set(undoId, new Map(concerned.map((key) => [key, inverse(key)])));
    } else
      for (const key of reverted)
        if (inverse(key) === 'grant') expected.add(key);
        else expected.delete(key);
    this.#expected = expected;
    this.#checked = { keys: new Set(), before: new Map() };
    return isHeld;
  }

  readonly #wereHeld = new Set<string>();

  #isUndoHeld(reverted: readonly string[], wrote: (key: string) => Action | undefined): boolean {
    return roles.some((role) => {
      const ofRole = reverted.filter((key) => roleIn(key) === role);
      const removals = ofRole.filter((key) => wrote(key) === 'grant').length;
      const earlier = (this.#lost.get(role)?.size ?? 0) + (this.#lostByUndo.get(role)?.size ?? 0);
      const isTooMany = removals > 0 && earlier + removals > this.perDay;
      return isTooMany || (this.approvesGrants && role === needsApproval && ofRole.length > removals);
    });
  }

  /** An undo of a change set while that one was being written: nothing of it stays, and nothing of it comes back. */
  undoInFlight(id: string, undoId: string, keys: readonly string[]): void {
    this.#undoes.set(undoId, { of: id, keys: [...keys] });
    for (const key of keys) this.suppressed.set(key, id);
    this.#expected = new Set(this.held);
    this.#checked = { keys: new Set(keys), before: new Map() };
  }
}
