import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { seed, volume } from '@latchkey/test-kit';
import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { RawNode } from 'kysely';
import { noteMember } from '../../communities/members/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import type { RoleHost } from '../../ports/index.ts';
import { contextFor } from '../../shared/context.ts';
import { Crash, crashing, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { setApprovalPolicy } from '../approval-policies/operations.ts';
import { rewriteRule } from '../community-rules/index.ts';
import { writeWaiting } from './applying/write-community.ts';
import { reconcileCommunityJob } from './jobs.ts';
import { approveChangeSet, approveGrants, rejectAndRestore, rejectChangeSet } from './review/decide.ts';
import { undoChangeSet } from './review/undo.ts';
import { DecisionModel, keyOf, members, needsApproval, noLimit, type Pair, roles } from './testing/decision-model.ts';
import { type Dice, throwDice } from './testing/dice.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from './testing/index.ts';

// Each member has a separate history of balances and manual changes. The members of one community share its policy,
// decisions and crashes.
const communities = Math.ceil(volume(300, 10_000) / members.length);
const partSize = 40;
const mostSteps = 7;
const contracts: Readonly<Record<string, string>> = { gold: `0x${'a'.repeat(40)}`, silver: `0x${'b'.repeat(40)}` };
const never = Number.MAX_SAFE_INTEGER;

const ruleOf = (role: string) => `TPC#${roles.indexOf(role) + 1}`;

/** Replaces the database of the admin who decides, or of the worker that plans, by one that makes a mistake. */
interface Planted {
  deciding?: (db: Database) => Database;
  planning?: (db: Database) => Database;
}

function withPlugin(db: Database, plugin: KyselyPlugin): Database {
  const transaction: Database['transaction'] = (tenant, work, options) =>
    db.transaction(tenant, (tx) => work(tx.withPlugin(plugin)), options);
  return new Proxy(db, { get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)) });
}

/** Leaves out every suppression: what an admin rejected or undid is planned again. */
function withoutSuppressions(db: Database): Database {
  const isSuppression = (node: RootOperationNode) =>
    node.kind === 'RawNode' && node.sqlFragments.some((part) => part.includes('insert into role_suppressions'));
  return withPlugin(db, {
    transformQuery: ({ node }) => (isSuppression(node) ? RawNode.createWithSql('select 1') : node),
    transformResult: async ({ result }) => result,
  });
}

/** Forgets which removals of the day are already written, as if each check had a limit of its own. */
function forgetfulOfLosses(db: Database): Database {
  return withPlugin(db, {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({
      ...result,
      rows: result.rows.map((row) => ('losing' in row && 'removed' in row ? { ...row, removed: 0 } : row)),
    }),
  });
}

/** One community, its model, and what happened in it so far. */
class History {
  readonly model: DecisionModel;
  readonly steps: string[] = [];
  readonly t: TestPlatform;
  readonly guild: Guild;
  readonly dice: Dice;
  readonly number: number;
  readonly planted: Planted;
  #lastEntry = '0';
  #hasCrashed = false;

  constructor(t: TestPlatform, guild: Guild, dice: Dice, options: { number: number; planted: Planted }) {
    this.t = t;
    this.guild = guild;
    this.dice = dice;
    this.number = options.number;
    this.planted = options.planted;
    const [approvesGrants, perDay] = [dice.below(3) === 0, dice.oneOf([noLimit, noLimit, 1, 3])];
    this.model = new DecisionModel({ approvesGrants, perDay, approvers: dice.oneOf([1, 1, 2]) });
  }

  get where(): string {
    return `history ${this.number}: ${this.steps.join('; ')}`;
  }

  /** The context of a person who decides. Decisions are one transaction, which a crash leaves undone. */
  as(person: Actor = admin): ReturnType<TestPlatform['as']> {
    const db = this.planted.deciding?.(this.t.services.db) ?? this.t.services.db;
    return { ...this.t.as(person), db };
  }

  #system(survived: number) {
    const db = this.planted.planning?.(this.t.services.db) ?? this.t.services.db;
    const context = contextFor(this.t.services, { kind: 'system', job: 'test' });
    return { ...context, db: survived === never ? db : crashing(db, survived) };
  }

  /** Runs a job in a process that may die, and then in the next process. */
  async #survive(work: (survived: number) => Promise<void>): Promise<void> {
    const survived = this.dice.oneOf([never, never, 0, 1, 2, 3, 4, 6]);
    if (survived !== never) {
      this.#hasCrashed = true;
      await untilCrash(work(survived));
      this.steps.push(`crash after ${survived}`);
      this.t.advanceSeconds(200);
    }
    await work(never);
  }

  plan(): Promise<void> {
    return this.#survive((survived) => reconcileCommunityJob(this.#system(survived), this.guild.id));
  }

  async write(): Promise<void> {
    const signal = new AbortController().signal;
    await this.#survive((survived) => writeWaiting(this.#system(survived), this.guild.id, signal));
  }

  /** Writes, and lets something happen while the platform handles one of the calls: before or after it applied it. */
  async writeDuring(during: () => Promise<void>): Promise<void> {
    const { host } = this.t;
    let left = this.dice.below(5);
    const isBefore = this.dice.below(2) === 0;
    const writeMember: RoleHost['writeMember'] = async (...given) => {
      left -= 1;
      if (left !== -1) return host.writeMember(...given);
      if (isBefore) await during();
      const outcome = await host.writeMember(...given);
      if (!isBefore) await during();
      return outcome;
    };
    this.#hasCrashed = true;
    const context = { ...this.#system(never), hosts: { discord: { ...host, writeMember } } };
    await untilCrash(writeWaiting(context, this.guild.id, new AbortController().signal));
    this.t.advanceSeconds(200);
    if (left >= 0) await untilCrash(during());
    await this.write();
  }

  /** Compares everything that is stored with the model, which learns what was written by which change set. */
  async compare(before: { isCheck: boolean }): Promise<void> {
    const { guild, model, where } = this;
    const pairOf = (row: { user_id: string; role_id: string }) =>
      keyOf({ member: members.find((member) => guild.idOf(member) === row.user_id) ?? -1, role: row.role_id });
    const { pool } = this.t.services.db;
    const written = await pool.query(
      `select id, user_id, role_id, action, change_set_id, is_automatic from role_ledger
       where community_id = $1 and id > $2 order by id`,
      [guild.id, this.#lastEntry],
    );
    this.#lastEntry = written.rows.at(-1)?.id ?? this.#lastEntry;
    model.learn(
      written.rows.map((row) => ({ ...row, key: pairOf(row), changeSetId: row.change_set_id, auto: row.is_automatic })),
      { where, mayRepeat: this.#hasCrashed },
    );
    this.#hasCrashed = false;
    const shown = members.flatMap((member) => (guild.rolesOf(member) ?? []).map((role) => keyOf({ member, role })));
    assert.deepEqual(shown.toSorted(), [...model.held].toSorted(), `${where}: the platform and the model differ`);
    const suppressed = await pool.query('select * from role_suppressions where community_id = $1', [guild.id]);
    assert.deepEqual(suppressed.rows.map(pairOf).toSorted(), [...model.suppressed.keys()].toSorted(), where);
    const waiting = await pool.query(
      `select i.*, p.undoes, p.rule_change_ids <> '{}' as is_of_edit
       from change_set_items i join change_sets p on p.id = i.change_set_id
       where p.community_id = $1 and p.status = 'held' and i.state = 'planned'`,
      [guild.id],
    );
    const found = waiting.rows.map((row) => ({ ...row, key: pairOf(row), changeSetId: row.change_set_id }));
    if (before.isCheck) model.acceptWaiting(found, where);
    else model.expectWaiting(found, where);
    const stuck = await pool.query(
      `select p.id from change_sets p where p.community_id = $1 and (
         p.status in ('approved', 'applying')
         or $2 and p.status = 'held' and not exists (
           select from change_set_items i where i.change_set_id = p.id and i.state = 'planned'))`,
      [guild.id, before.isCheck],
    );
    assert.deepEqual(stuck.rows, [], `${where}: nothing is left to write, and nothing to decide`);
  }

  /** A check of some members, and what it writes. */
  async check(checked: readonly number[], { cause = 'wallet', edited }: Check = {}): Promise<void> {
    const { guild, t } = this;
    const userIds = checked.map((member) => guild.idOf(member));
    if (edited === undefined)
      await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: userIds, cause });
    await this.plan();
    await this.write();
    await this.#finishCheck(checked, cause === 'requested' ? checked : [], edited);
  }

  async #finishCheck(checked: readonly number[], requested: readonly number[], edited?: string): Promise<void> {
    this.model.check(checked, { requested, edited });
    await this.compare({ isCheck: true });
  }

  async edit(): Promise<string> {
    const [role, needed] = [this.dice.oneOf(roles), this.dice.below(4) + 1];
    await this.rewrite(role, needed);
    await this.check(members, { edited: role });
    return `${role} needs ${needed}`;
  }

  async rewrite(role: string, needed: number): Promise<void> {
    const body = erc20Rule(role, String(needed), contracts[role]);
    await rewriteRule(this.t.as(operator), { id: this.guild.id, tpcId: ruleOf(role), body });
    this.model.needed.set(role, needed);
  }

  /** Decides one held change set in one of the ways that admins have. */
  async decide(): Promise<string> {
    const held = [...this.model.waiting.keys()].toSorted();
    if (held.length === 0) return 'nothing is held';
    const id = this.dice.oneOf(held);
    const name = `${held.indexOf(id)} of ${held.length}`;
    switch (this.dice.below(5)) {
      case 0:
      case 1: {
        const isFinal = await this.#approveBy(id, (person) => approveChangeSet(this.as(person), id));
        if (isFinal) this.model.approve(id);
        await this.write();
        await this.compare({ isCheck: false });
        return `${isFinal ? 'approve' : 'first approval of'} ${name}`;
      }
      case 2:
        await rejectChangeSet(this.as(), id);
        this.model.reject(id);
        await this.compare({ isCheck: false });
        return `reject ${name}`;
      case 3: {
        const gives = [...(this.model.waiting.get(id)?.values() ?? [])].includes('grant');
        if (!gives) {
          await assert.rejects(approveGrants(this.as(), id), { code: 'STATE_CONFLICT' });
          return `no grants in ${name}`;
        }
        const isFinal = await this.#approveBy(id, (person) => approveGrants(this.as(person), id));
        this.model.rejectRemovals(id);
        if (isFinal) this.model.approve(id);
        await this.write();
        await this.compare({ isCheck: false });
        return `approve grants of ${name}`;
      }
      default:
        return this.#restore(id, name);
    }
  }

  /** One admin after the other approves; returns whether this was the last approval that is needed. */
  async #approveBy(id: string, approve: (person: Actor) => Promise<void>): Promise<boolean> {
    const isFinal = this.model.needsLastApproval(id);
    // Whoever requested an undo or approved first cannot approve again.
    const isAdminAgain = isFinal && this.model.approvers > 1;
    if (
      isAdminAgain &&
      this.dice.below(3) === 0 &&
      ![...(this.model.waiting.get(id)?.values() ?? [])].includes('revoke')
    )
      await assert.rejects(approve(admin), /already approved/);
    await approve(isAdminAgain ? operator : admin);
    return isFinal;
  }

  async #restore(id: string, name: string): Promise<string> {
    if (this.model.undoneBy(id) !== undefined) return 'nothing';
    const { rows } = await this.t.services.db.pool.query(
      `select distinct on (c.rule_id) c.before ->> 'roleId' as role, (c.before -> 'definition' ->> 'minToken')::int as needed
       from change_sets p join community_rule_changes c on c.id = any(p.rule_change_ids::bigint[])
       where p.id = $1 order by c.rule_id, c.id`,
      [id],
    );
    const concerned = [...(this.model.waiting.get(id)?.keys() ?? [])].map((key) => key.split('/')[1]);
    const restored = rows.filter(({ role }) => concerned.includes(role));
    if (restored.length === 0) return 'nothing';
    // By the operator: admins take back at once what they did themselves.
    await rejectAndRestore(this.as(operator), id);
    // A rule that is as before already changes nothing, and what was rejected stays away.
    const changed = restored.filter(({ role, needed }) => this.model.needed.get(role) !== needed);
    for (const { role, needed } of changed) this.model.needed.set(role, needed);
    const restoredRoles = changed.map(({ role }) => role);
    this.model.reject(id, restoredRoles);
    await this.compare({ isCheck: false });
    for (const role of restoredRoles) this.model.resumeRole(role);
    if (restoredRoles.length > 0) await this.check(members, { edited: restoredRoles[0] });
    return `reject ${name} and restore`;
  }

  async undo(): Promise<string> {
    const undoable = await this.#undoable();
    if (undoable.length === 0) return 'nothing to undo';
    const id = this.dice.oneOf(undoable);
    const undo = await undoChangeSet(this.as(), id, { restoreRule: false });
    const isHeld = this.model.undo(id, undo.id);
    assert.equal(undo.status, isHeld ? 'held' : 'approved', `${this.where}; undo ${undoable.indexOf(id)}`);
    await this.write();
    await this.compare({ isCheck: false });
    return `undo ${undoable.indexOf(id)} of ${undoable.length}${isHeld ? ', held' : ''}`;
  }

  /** Oldest first. */
  async #undoable(): Promise<string[]> {
    const { rows } = await this.t.services.db.pool.query<{ id: string }>(
      `select p.id from change_sets p join role_ledger l on l.change_set_id = p.id
       where p.community_id = $1 and p.status in ('approved', 'applying', 'done', 'failed') group by p.id order by min(l.id)`,
      [this.guild.id],
    );
    return rows.map(({ id }) => id);
  }

  /** An admin undoes the changes of a check, or changes a rule, while they are being written. */
  async interrupt(): Promise<string> {
    const { guild, model, t } = this;
    if (model.isBraked) return this.edit();
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    await this.plan();
    const { rows } = await t.services.db.pool.query<{ id: string }>(
      `select id from change_sets where community_id = $1 and status = 'approved'`,
      [guild.id],
    );
    const [planned] = rows;
    if (planned === undefined || this.dice.below(2) === 0) {
      const [role, needed] = [this.dice.oneOf(roles), this.dice.below(4) + 1];
      let isDone = false;
      await this.writeDuring(async () => {
        if (!isDone) await this.rewrite(role, needed);
        isDone = true;
        if (this.dice.below(3) === 0) throw new Crash('The process died.');
      });
      await this.check(members, { edited: role });
      return `${role} needs ${needed} during a write`;
    }
    const changes = await t.services.db.pool.query('select * from change_set_items where change_set_id = $1', [
      planned.id,
    ]);
    const keys = changes.rows.map(({ user_id, role_id }) =>
      keyOf({ member: members.find((member) => guild.idOf(member) === user_id) ?? -1, role: role_id }),
    );
    const before = new Set(model.held);
    let undoId: string | undefined;
    await this.writeDuring(async () => {
      undoId ??= (await undoChangeSet(this.as(), planned.id, { restoreRule: false })).id;
    });
    assert.ok(undoId, this.where);
    model.undoInFlight(planned.id, undoId, keys);
    await this.compare({ isCheck: false });
    assert.deepEqual([...model.held].toSorted(), [...before].toSorted(), `${this.where}; undo during its write`);
    return `undo of ${keys.length} changes during their write`;
  }

  transfer(member: number): void {
    const pair: Pair = { member, role: this.dice.oneOf(roles) };
    const amount = this.dice.below(4);
    this.guild.hold(member, String(amount), contracts[pair.role]);
    this.model.amounts.set(keyOf(pair), amount);
  }

  async changeByHand(member: number): Promise<void> {
    const { guild, model, t } = this;
    model.toggle({ member, role: this.dice.oneOf(roles) });
    const roleIds = roles.filter((role) => model.held.has(keyOf({ member, role })));
    t.host.addMember(guild.guildId, guild.nativeIdOf(member), roleIds);
    await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(member), { kind: 'updated', roleIds });
  }
}

interface Check {
  cause?: 'schedule' | 'requested' | 'wallet';
  /** The role whose rule was just changed. */
  edited?: string | undefined;
}

async function untilCrash(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
}

async function play(t: TestPlatform, number: number, planted: Planted = {}): Promise<void> {
  const dice = throwDice(`${seed('decisions')} ${number}`);
  const rules = roles.map((role) => erc20Rule(role, '2', contracts[role]));
  const guild = await setUpGuild(t, { members: members.length, rules });
  const history = new History(t, guild, dice, { number, planted });
  const { approvesGrants, perDay, approvers } = history.model;
  await setApprovalPolicy(t.as(operator), {
    communityId: guild.id,
    body: {
      approvers,
      removalPercent: 100,
      ...(perDay !== noLimit && { removalsPerDay: perDay }),
      roles: approvesGrants ? [{ roleId: needsApproval, approvesGrants: true }] : [],
    },
  });
  history.steps.push(
    `grants of gold ${approvesGrants ? 'held' : 'free'}, ${perDay === noLimit ? 'any' : perDay} removals a day, ${approvers} to approve`,
  );
  await history.check(members, { cause: 'schedule' });
  for (let step = 0; step < mostSteps; step += 1) {
    // Platform events are compared with recent writes; here each step gets enough time.
    t.advanceSeconds(300);
    history.steps.push(await take(history));
  }
  t.advanceSeconds(300);
  await history.check(members, { cause: 'schedule' });
}

async function take(history: History): Promise<string> {
  const { dice } = history;
  for (const member of members) if (dice.below(3) === 0) history.transfer(member);
  for (const member of members) if (dice.below(10) === 0) await history.changeByHand(member);
  switch (dice.below(10)) {
    case 0:
    case 1:
      return history.edit();
    case 2:
      await history.check(members, { cause: 'schedule' });
      return 'check of all';
    case 3: {
      const member = dice.oneOf(members);
      await history.check([member], { cause: 'requested' });
      return `requested check of ${member}`;
    }
    case 4:
      return history.undo();
    case 5:
    case 6:
      return history.interrupt();
    default:
      return history.decide();
  }
}

// Most of the time is spent waiting for the database, so several parts run side by side, each with its own.
describe('random histories of approvals, rejections, undos and edits, with brakes, crashes and writes in flight', {
  concurrency: 4,
}, () => {
  for (let from = 0; from < communities; from += partSize) {
    const to = Math.min(from + partSize, communities);
    it(`end in what the rules say and the admins decided: communities ${from} to ${to - 1}, ${members.length} members each`, async () => {
      const t = await testPlatform(`decisions ${from}`);
      try {
        for (let number = from; number < to; number += 1) await play(t, number);
      } finally {
        await t.close();
      }
    });
  }

  const mistakes: [string, Planted][] = [
    ['a rejection or an undo that suppresses nothing', { deciding: withoutSuppressions }],
    ['a brake that forgets the removals of earlier checks', { planning: forgetfulOfLosses }],
  ];
  for (const [mistake, planted] of mistakes)
    it(`${mistake} does not match the model`, async () => {
      const t = await testPlatform(`decisions with ${mistake}`);
      const playAll = async () => {
        for (let number = 0; number < 60; number += 1) await play(t, number, planted);
      };
      try {
        await assert.rejects(playAll(), { name: 'AssertionError', message: /history \d+: / });
      } finally {
        await t.close();
      }
    });
});
