import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '@latchkey/db';
import { seed, volume } from '@latchkey/test-kit';
import type { KyselyPlugin } from 'kysely';
import { noteMember } from '../../communities/members/index.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { removeRuleWithChoice, rewriteRule } from '../community-rules/index.ts';
import { undoChangeSet } from './review/undo.ts';
import { type Dice, throwDice } from './testing/dice.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from './testing/index.ts';

// Each member has a separate history of balances, manual role changes and checks. The members of one community share
// rule edits, resyncs and undos.
const members = Array.from({ length: 9 }, (_, member) => member);
const communities = Math.ceil(volume(300, 10_000) / members.length);
const partSize = 20;
const mostSteps = 6;
const roles = ['gold', 'silver'];
const contracts: Readonly<Record<string, string>> = { gold: `0x${'a'.repeat(40)}`, silver: `0x${'b'.repeat(40)}` };
const pairs = members.flatMap((member) => roles.map((role) => ({ member, role })));

interface Pair {
  member: number;
  role: string;
}

/** What one change set did, according to the model. */
interface ModelChangeSet {
  rows: Map<string, 'grant' | 'revoke'>;
  /** The roles that it planned to change, written or not. */
  planned: Set<string>;
  undoes?: ModelChangeSet;
  /** Of an undo: the pairs that it was to revert. */
  reverts?: string[];
  isUndone?: true;
  /** The rule changes that led to it. */
  edits: Edit[];
}

interface Edit {
  role: string;
  /** How much the rule required before; undefined if there was no rule. */
  before: number | undefined;
}

const ruleOf = (role: string) => `TPC#${roles.indexOf(role) + 1}`;
const keyOf = ({ member, role }: Pair) => `${member}/${role}`;

/**
 * The expected state when every step finishes before the next one begins: rules decide who has a role, except for pairs
 * that an undo suppressed. An undo reverts the pairs that its change set was the last to write.
 */
class Model {
  readonly amounts = new Map(pairs.map((pair) => [keyOf(pair), 0]));
  /** Roles whose rule was deleted are absent. */
  readonly needed = new Map(roles.map((role) => [role, 2]));
  /** Roles whose rule was deleted with the choice to take them. */
  readonly retired = new Set<string>();
  readonly held = new Set<string>();
  readonly suppressed = new Map<string, ModelChangeSet>();
  /** The change set that last wrote each pair. */
  readonly lastWriter = new Map<string, ModelChangeSet>();
  readonly edits = new Map<string, Edit[]>(roles.map((role) => [role, []]));
  readonly changeSets: ModelChangeSet[] = [];

  /** What the rules say; undefined where nothing decides. Of a retired role, members keep what they got from elsewhere. */
  #verdict(pair: Pair): boolean | undefined {
    const key = keyOf(pair);
    const needed = this.needed.get(pair.role);
    if (needed !== undefined) return (this.amounts.get(key) ?? 0) >= needed;
    const isOwn = this.lastWriter.get(key)?.rows.get(key) === 'grant';
    return this.retired.has(pair.role) && this.held.has(key) && isOwn ? false : undefined;
  }

  #put(changeSet: ModelChangeSet, pair: Pair, isHeld: boolean): void {
    const key = keyOf(pair);
    if (this.held.has(key) === isHeld) return;
    changeSet.planned.add(pair.role);
    if (isHeld) this.held.add(key);
    else this.held.delete(key);
    changeSet.rows.set(key, isHeld ? 'grant' : 'revoke');
    this.lastWriter.set(key, changeSet);
  }

  /** A check of some members writes what the rules say about pairs that are not suppressed. */
  check(checked: readonly number[], edits: Edit[] = []): void {
    const changeSet: ModelChangeSet = { rows: new Map(), planned: new Set(), edits };
    for (const pair of pairs) {
      const verdict = this.#verdict(pair);
      if (verdict !== undefined && checked.includes(pair.member) && !this.suppressed.has(keyOf(pair)))
        this.#put(changeSet, pair, verdict);
    }
    if (changeSet.rows.size > 0) this.changeSets.push(changeSet);
  }

  /** Changes what a rule requires. Every member is checked, and suppressions of its role end. */
  edit(role: string, needed: number): void {
    const made = this.#write(role, needed);
    this.#resume((pair) => pair.role === role);
    this.check(members, made);
  }

  /** Deletes a rule. Every member is checked, and suppressions of its role end. */
  remove(role: string, choice: 'keep' | 'take'): void {
    const made = this.#write(role, undefined);
    if (choice === 'take') this.retired.add(role);
    this.#resume((pair) => pair.role === role);
    this.check(members, made);
  }

  #write(role: string, needed: number | undefined): Edit[] {
    const before = this.needed.get(role);
    if (before === needed) return [];
    const edit = { role, before };
    if (needed === undefined) this.needed.delete(role);
    else this.needed.set(role, needed);
    this.retired.delete(role);
    this.edits.get(role)?.push(edit);
    return [edit];
  }

  #resume(isResumed: (pair: Pair) => boolean): void {
    for (const pair of pairs) if (isResumed(pair)) this.suppressed.delete(keyOf(pair));
  }

  ask(member: number): void {
    this.#resume((pair) => pair.member === member);
    this.check([member]);
  }

  /** The rule change that led to it, if it concerns one of its roles. */
  #editOf({ planned, edits }: ModelChangeSet): Edit | undefined {
    return edits.find(({ role }) => planned.has(role));
  }

  canRestore(changeSet: ModelChangeSet): boolean {
    return this.#editOf(changeSet)?.before !== undefined;
  }

  undo(changeSet: ModelChangeSet, restoreRule: boolean | undefined): void {
    const concerned = pairs.filter((pair) => this.lastWriter.get(keyOf(pair)) === changeSet);
    const edit = this.#editOf(changeSet);
    const isNewest = edit !== undefined && this.edits.get(edit.role)?.at(-1) === edit;
    const isRestored = edit?.before !== undefined && (restoreRule ?? isNewest);
    const made = isRestored ? this.#write(edit.role, edit.before) : [];
    const [restored] = made;
    changeSet.isUndone = true;
    const undo: ModelChangeSet = {
      rows: new Map(),
      planned: new Set(concerned.map(({ role }) => role)),
      undoes: changeSet,
      reverts: concerned.map(keyOf),
      edits: made,
    };
    for (const key of changeSet.reverts ?? [])
      if (this.suppressed.get(key) === changeSet.undoes) this.suppressed.delete(key);
    if (changeSet.undoes === undefined)
      for (const pair of concerned) if (pair.role !== restored?.role) this.suppressed.set(keyOf(pair), changeSet);
    if (restored !== undefined) this.#resume((pair) => pair.role === restored.role);
    for (const pair of concerned) {
      const isBack = changeSet.rows.get(keyOf(pair)) === 'revoke';
      // A check that follows immediately drops what the restored rule does not want.
      const verdict = this.suppressed.has(keyOf(pair)) ? undefined : this.#verdict(pair);
      const isWanted = restored === undefined || verdict === undefined || verdict === isBack;
      if (isWanted) this.#put(undo, pair, isBack);
    }
    if (undo.rows.size > 0) this.changeSets.push(undo);
    if (restored !== undefined) this.check(members, made);
  }

  toggle(pair: Pair): void {
    const key = keyOf(pair);
    if (!this.held.delete(key)) this.held.add(key);
  }
}

type Undo = (changeSetId: string, restoreRule: boolean | undefined) => Promise<void>;

/** A database that calls what later change sets decided still to be reverted: the mistake that the histories are to find. */
function blindToLaterChanges(db: Database): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({
      ...result,
      rows: result.rows.map((row) => (row.outcome === 'superseded' ? { ...row, outcome: 'revert' } : row)),
    }),
  };
  const transaction: Database['transaction'] = (tenant, work, options) =>
    db.transaction(tenant, (tx) => work(tx.withPlugin(plugin)), options);
  return new Proxy(db, { get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)) });
}

/** Plays histories in communities of one platform. */
function historiesOn(t: TestPlatform) {
  return run;

  async function run(number: number, db: Database = t.services.db): Promise<void> {
    const undo: Undo = async (changeSetId, restoreRule) => {
      await undoChangeSet({ ...t.as(admin), db }, changeSetId, { restoreRule });
    };
    const dice = throwDice(`${seed('undo histories')} ${number}`);
    const rules = roles.map((role) => erc20Rule(role, '2', contracts[role]));
    const guild = await setUpGuild(t, { members: members.length, rules });
    const model = new Model();
    const steps: string[] = [];
    const ids = new Map<ModelChangeSet, string>();
    await guild.resync();
    for (let step = 0; step < mostSteps; step += 1) {
      // Platform events are compared with recent writes; here each step gets enough time.
      t.advanceSeconds(300);
      steps.push(await take(dice, guild, model, ids, undo));
      const where = `history ${number}: ${steps.join('; ')}`;
      assert.deepEqual(stateOf(guild), [...model.held].toSorted(), where);
      await recognize(guild, model, ids, where);
    }
    t.advanceSeconds(300);
    await guild.resync();
    model.check(members);
    const where = `history ${number}: ${steps.join('; ')}`;
    assert.deepEqual(stateOf(guild), [...model.held].toSorted(), where);
    assert.deepEqual(await suppressedIn(guild), [...model.suppressed.keys()].toSorted(), where);
    await compareNumbers(guild, where);
  }

  function stateOf(guild: Guild): string[] {
    return members.flatMap((member) => (guild.rolesOf(member) ?? []).map((role) => keyOf({ member, role }))).toSorted();
  }

  async function take(
    dice: Dice,
    guild: Guild,
    model: Model,
    ids: ReadonlyMap<ModelChangeSet, string>,
    undo: Undo,
  ): Promise<string> {
    const moved = members.filter(() => dice.below(3) === 0);
    const steps = [`transfers of ${moved.map((member) => transfer(dice, guild, model, member)).join(', ')}`];
    const toggled = members.filter(() => dice.below(8) === 0);
    for (const member of toggled) steps.push(await changeByHand(dice, guild, model, member));
    // Some transfers are noticed immediately, others by a later check.
    const noticed = moved.filter(() => dice.below(3) > 0);
    if (noticed.length > 0) {
      await guild.resync(noticed, 'wallet');
      model.check(noticed);
      steps.push(`seen of ${noticed.join(', ')}`);
    }
    steps.push(await decide(dice, guild, model, ids, undo));
    return steps.join(', ');
  }

  function transfer(dice: Dice, guild: Guild, model: Model, member: number): string {
    const [role, amount] = [dice.oneOf(roles), dice.below(4)];
    guild.hold(member, String(amount), contracts[role]);
    model.amounts.set(keyOf({ member, role }), amount);
    return `${member}/${role} to ${amount}`;
  }

  async function changeByHand(dice: Dice, guild: Guild, model: Model, member: number): Promise<string> {
    const role = dice.oneOf(roles);
    model.toggle({ member, role });
    const roleIds = roles.filter((one) => model.held.has(keyOf({ member, role: one })));
    t.host.addMember(guild.guildId, guild.nativeIdOf(member), roleIds);
    await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(member), { kind: 'updated', roleIds });
    return `${member}/${role} changed by hand`;
  }

  async function decide(
    dice: Dice,
    guild: Guild,
    model: Model,
    ids: ReadonlyMap<ModelChangeSet, string>,
    undo: Undo,
  ): Promise<string> {
    const [role, needed, member] = [dice.oneOf(roles), dice.below(4) + 1, dice.oneOf(members)];
    switch (dice.below(7)) {
      case 0:
      case 1:
        // Only an undo brings back a rule that was deleted.
        if (!model.needed.has(role)) return `${role} has no rule`;
        await rewriteRule(t.as(operator), {
          id: guild.id,
          tpcId: ruleOf(role),
          body: erc20Rule(role, String(needed), contracts[role]),
        });
        await guild.check();
        await guild.write();
        model.edit(role, needed);
        return `${role} needs ${needed}`;
      case 2:
        await guild.resync();
        model.check(members);
        return 'resync';
      case 3:
        await guild.resync([member], 'requested');
        model.ask(member);
        return `check of ${member}`;
      case 4: {
        if (!model.needed.has(role) || dice.below(2) === 0) return 'nothing';
        const choice = dice.oneOf(['keep', 'take'] as const);
        await removeRuleWithChoice(t.as(operator), { id: guild.id, ruleId: ruleOf(role), roles: choice });
        await guild.check();
        await guild.write();
        model.remove(role, choice);
        return `the rule of ${role} is deleted, ${choice}`;
      }
      default:
        return undoOne(dice, guild, model, ids, undo);
    }
  }

  async function undoOne(
    dice: Dice,
    guild: Guild,
    model: Model,
    ids: ReadonlyMap<ModelChangeSet, string>,
    undo: Undo,
  ): Promise<string> {
    const undoable = model.changeSets.filter((changeSet) => changeSet.isUndone === undefined && ids.has(changeSet));
    if (undoable.length === 0) return 'nothing to undo';
    const changeSet = dice.oneOf(undoable);
    const choice = dice.oneOf(model.canRestore(changeSet) ? ['default', 'default', 'no', 'yes'] : ['default', 'no']);
    const restoreRule = choice === 'default' ? undefined : choice === 'yes';
    await undo(ids.get(changeSet) ?? '', restoreRule);
    await guild.check();
    await guild.write();
    model.undo(changeSet, restoreRule);
    return `undo ${model.changeSets.indexOf(changeSet)}, restores the rule: ${choice}`;
  }

  /** Finds the change sets of the last step by what they wrote, which must match the model. */
  async function recognize(guild: Guild, model: Model, ids: Map<ModelChangeSet, string>, where: string): Promise<void> {
    const { rows } = await t.services.db.pool.query<{ id: string; pairs: string[] }>(
      `select p.id, array_agg(l.user_id || '/' || l.role_id) as pairs
       from change_sets p join role_ledger l on l.change_set_id = p.id
       where p.community_id = $1 and p.id <> all($2) group by p.id order by min(l.id)`,
      [guild.id, [...ids.values()]],
    );
    const pairOf = (written: string) => {
      const [userId = '', role = ''] = written.split('/');
      return keyOf({ member: members.findIndex((member) => guild.idOf(member) === userId), role });
    };
    const fresh = model.changeSets.filter((changeSet) => !ids.has(changeSet));
    const isSame = (a: readonly string[], b: readonly string[]) => a.toSorted().join() === b.toSorted().join();
    for (const changeSet of fresh) {
      const row = rows.find(({ pairs: written }) => isSame(written.map(pairOf), [...changeSet.rows.keys()]));
      assert.ok(row, `${where}: no change set wrote ${[...changeSet.rows.keys()].join(', ')}`);
      rows.splice(rows.indexOf(row), 1);
      ids.set(changeSet, row.id);
    }
    assert.deepEqual(rows, [], where);
  }

  async function suppressedIn(guild: Guild): Promise<string[]> {
    const { rows } = await t.services.db.pool.query<{ user_id: string; role_id: string }>(
      'select user_id, role_id from role_suppressions where community_id = $1',
      [guild.id],
    );
    const memberOf = (userId: string) => members.find((member) => guild.idOf(member) === userId) ?? -1;
    return rows.map(({ user_id, role_id }) => keyOf({ member: memberOf(user_id), role: role_id })).toSorted();
  }

  /** The totals of each change set match its ledger rows, and an undo wrote only over what it undoes. */
  async function compareNumbers(guild: Guild, where: string): Promise<void> {
    const { rows } = await t.services.db.pool.query(
      `select p.id from change_sets p where p.community_id = $1 and (
         (p.written_grants, p.written_revokes, p.written_members) <> (
           select count(*) filter (where l.action = 'grant'), count(*) filter (where l.action = 'revoke'),
             count(distinct l.user_id)
           from role_ledger l where l.change_set_id = p.id)
         or p.status = 'done' and p.written_members = 0 and p.calls > 0
         or p.undoes is not null and exists (
           select from role_ledger l where l.change_set_id = p.id and p.undoes is distinct from (
             select b.change_set_id from role_ledger b
             where b.community_id = l.community_id and b.user_id = l.user_id and b.role_id = l.role_id and b.id < l.id
             order by b.id desc limit 1)))`,
      [guild.id],
    );
    assert.deepEqual(rows, [], where);
  }
}

/** Runs work on a platform of its own. */
async function onPlatform(name: string, work: (t: TestPlatform) => Promise<void>): Promise<void> {
  const t = await testPlatform(name);
  try {
    // Approval of large removals is tested elsewhere.
    t.services.settings.gating = { heldRemovalShare: 1 };
    await work(t);
  } finally {
    await t.close();
  }
}

// Most of the time is spent waiting for the database, so several parts run side by side, each with its own.
describe('random histories of edits, deletions, transfers, manual changes, checks and undos', {
  concurrency: 4,
}, () => {
  for (let from = 0; from < communities; from += partSize) {
    const to = Math.min(from + partSize, communities);
    it(`end in what the rules and the suppressions say: communities ${from} to ${to - 1}, ${members.length} members each`, async () => {
      await onPlatform(`undo-histories ${from}`, async (t) => {
        const run = historiesOn(t);
        for (let number = from; number < to; number += 1) await run(number);
      });
    });
  }

  it('an undo that overrides later decisions does not match the model', async () => {
    await onPlatform('undo-histories with a mistake', async (t) => {
      const db = blindToLaterChanges(t.services.db);
      const found = await firstFailure((number) => historiesOn(t)(number, db), 40);
      assert.match(String(found), /^AssertionError.*: history \d+: .*undo \d+/s);
    });
  });
});

/** The first failure of these histories. */
async function firstFailure(run: (number: number) => Promise<void>, histories: number): Promise<unknown> {
  for (let number = 0; number < histories; number += 1) {
    const failure = await run(number).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined) return failure;
  }
  return undefined;
}
