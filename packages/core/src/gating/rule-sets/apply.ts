import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { putCheckPeriod } from '../../communities/community/index.ts';
import { type CommunityRow, lockCommunity } from '../../communities/community-records/index.ts';
import { createPassIn, passColumns, removePassIn, updatePass } from '../../communities/guest-passes/index.ts';
import { putManagedRules, refuseOtherKey } from '../../communities/managed-rules/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { selectRules, setRuleOrder } from '../../communities/rule-records/index.ts';
import { nameInAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import { putPolicy, refuseBadPolicy } from '../approval-policies/index.ts';
import { insertRuleIn, removeRuleIn, rewriteRuleIn } from '../community-rules/index.ts';
import { type RuleAssertion, refuseBroken, replaceAssertions, toRows } from '../rule-assertions/index.ts';
import { rolesOf } from '../rule-builder/index.ts';
import { findProblemsOf, toPassRequest } from './check.ts';
import { describeChanges } from './describe-changes.ts';
import { diffRuleSet, type RuleSetDiff, wantedAssertions, writesSomething } from './diff.ts';
import { orderRules } from './order.ts';
import { getNamed } from './plan.ts';
import type { AppliedRuleSet, BrakesToApply, RuleSetToApply } from './shapes.ts';
import { compositionIn, type RuleSetState, readState } from './state.ts';

/**
 * Makes a community’s rules, guest passes and settings as wanted, all of them or none. What is already as wanted is not written.
 * The role changes follow as after any change to a rule: by change sets, with the brakes of the community.
 */
export async function applyRuleSet(
  ctx: Context,
  { communityId, body }: { communityId: string; body: RuleSetToApply },
): Promise<AppliedRuleSet> {
  const community = await getNamed(ctx, communityId);
  const present = await readState(ctx.db.system, community);
  const planned = diffRuleSet(present, body);
  const problems = await findProblemsOf(ctx, community, planned, {
    assertions: assertionsAfter(planned, present, body),
  });
  const [first] = problems;
  if (first !== undefined)
    throw new AppError('VALIDATION_FAILED', `The body at ${first.path} cannot be applied. ${first.message}`, {
      details: problems.map(({ path, message }) => ({ path, code: 'rule', message })),
    });
  const roles = await rolesOf(ctx, community);
  const { diff, version, changeIds } = await ctx.db.transaction('system', async (tx) => {
    const { locked, before } = await lockAt(tx, community);
    const found = diffRuleSet(before, body);
    // Who repeats a request whose answer was lost finds everything as wanted.
    if (!writesSomething(found, body.unlisted)) return { diff: found, version: before.version, changeIds: [] };
    refuseOther(before.version, body.version);
    await refuseOtherKey(ctx, tx, locked.id);
    const ids = await write(ctx, tx, locked, { diff: found, before, body, roles });
    const again = (await lockCommunity(tx, locked.id)) ?? locked;
    const { version: applied } = await readState(tx, again);
    await noteSource(ctx, tx, locked.id, { source: body.source, version: applied });
    return { diff: found, version: applied, changeIds: ids };
  });
  const [firstRuleChangeId] = changeIds.toSorted((a, b) => Number(BigInt(a) - BigInt(b)));
  return {
    version,
    changes: (await describeChanges(ctx, diff, body.unlisted, roles)).filter(({ kind }) => kind !== 'unlisted'),
    ...(firstRuleChangeId !== undefined && { firstRuleChangeId }),
  };
}

/** Replaces the brakes: which role changes need an admin’s approval. */
export async function applyBrakes(
  ctx: Context,
  { communityId, body }: { communityId: string; body: BrakesToApply },
): Promise<AppliedRuleSet> {
  // A stolen session must not be able to turn off the limits that stop it from emptying a community.
  if (ctx.actor.kind === 'user') requirePresence(ctx);
  refuseBadPolicy(body.brakes, '/brakes');
  const community = await getNamed(ctx, communityId);
  const wanted = { brakes: body.brakes };
  return ctx.db.transaction('system', async (tx) => {
    const { locked, before } = await lockAt(tx, community);
    const diff = diffRuleSet(before, wanted);
    if (diff.brakes.length > 0) {
      refuseOther(before.brakesVersion, body.version);
      await refuseOtherKey(ctx, tx, locked.id);
      await putPolicy(tx, locked.id, body.brakes);
    }
    const { brakesVersion: version } = await readState(tx, locked);
    if (diff.brakes.length > 0) await putManagedRules(tx, locked.id, { brakes_version: version });
    return { version, changes: await describeChanges(ctx, diff, 'keep', undefined) };
  });
}

/** Keeps what was applied, so that admins see where rules come from and whether they were changed elsewhere since. */
async function noteSource(
  { actor, clock }: Context,
  tx: Tx,
  communityId: string,
  { source, version }: { source: RuleSetToApply['source']; version: string },
): Promise<void> {
  await putManagedRules(tx, communityId, {
    file: source?.file ?? null,
    repository: source?.repository === undefined ? null : withoutCredentials(source.repository),
    commit_id: source?.commit ?? null,
    applied_at: clock(),
    applied_by: nameInAudit(actor),
    applied_by_client: actor.kind === 'client' ? actor.client.id : null,
    version,
  });
}

/** The address by which a repository is cloned in continuous integration often contains a token. */
function withoutCredentials(repository: string): string {
  return repository.replace(/^([a-z][a-z+.-]*:\/\/)[^/]*@/i, '$1');
}

/** Locks the community and reads its rule set. */
async function lockAt(tx: Tx, community: CommunityRow): Promise<{ locked: CommunityRow; before: RuleSetState }> {
  const locked = (await lockCommunity(tx, community.id)) ?? community;
  return { locked, before: await readState(tx, locked) };
}

/** Refuses changes that were planned for another version. */
function refuseOther(present: string, planned: string): void {
  if (present !== planned)
    throw new AppError(
      'STATE_CONFLICT',
      'The rules, guest passes, settings or brakes of the community were changed after the plan was made. Make a new plan.',
    );
}

function assertionsAfter(
  diff: RuleSetDiff,
  { assertions: existing }: RuleSetState,
  { assertions, unlisted }: RuleSetToApply,
): readonly RuleAssertion[] {
  return wantedAssertions(diff, { existing, unlisted, isListed: assertions !== undefined });
}

type Roles = Awaited<ReturnType<typeof rolesOf>>;

/** Returns the ids of the new entries in the rules’ histories. */
async function write(
  ctx: Context,
  tx: Tx,
  community: CommunityRow,
  { diff, before, body, roles }: { diff: RuleSetDiff; before: RuleSetState; body: RuleSetToApply; roles: Roles },
): Promise<string[]> {
  const { unlisted, settings } = body;
  const changeIds: (string | undefined)[] = [];
  if (unlisted !== 'keep') {
    const choice = unlisted === 'delete-and-take' ? 'take' : 'keep';
    for (const { id } of diff.unlistedRules)
      changeIds.push((await removeRuleIn(ctx, tx, { id: community.id, ruleId: id, roles: choice })).changeId);
    for (const { id } of diff.unlistedPasses) await removePassIn(ctx, tx, community.id, id);
  }
  const order: string[] = [];
  for (const { wanted, existing, fields } of diff.rules) {
    const { body: rule, visibility } = wanted;
    if (existing === undefined) {
      const { row, changeId } = await insertRuleIn(ctx, tx, community.id, { body: rule, visibility });
      changeIds.push(changeId);
      order.push(row.id);
      continue;
    }
    order.push(existing.id);
    if (fields.length > 0)
      changeIds.push((await rewriteRuleIn(ctx, tx, existing, { body: rule, visibility })).changeId);
  }
  await putInOrder(tx, community, order);
  const assertions = assertionsAfter(diff, before, body);
  if (assertions !== before.assertions)
    await replaceAssertions(
      tx,
      community.id,
      toRows(assertions).map((row) => ({ ...row, community_id: community.id })),
    );
  // What must stay true holds for the rules as they are now, all together.
  await refuseBroken(tx, community.id);
  await writePasses(ctx, tx, community, diff, roles);
  if (diff.settings.length > 0) await putCheckPeriod(tx, community, settings?.checkPeriodSeconds ?? null, ctx.clock());
  return changeIds.filter((id) => id !== undefined);
}

/** Members are checked where the order decides and changes. */
async function putInOrder(tx: Tx, community: CommunityRow, order: readonly string[]): Promise<void> {
  const rows = await selectRules(tx, community.id);
  const { rows: ordered, isMoved, decisive } = orderRules(rows, order);
  if (!isMoved) return;
  await setRuleOrder(
    tx,
    community.id,
    ordered.map(({ id }) => id),
  );
  if (decisive.length === 0) return;
  const roleIds = decisive.map(({ role_id, definition }) => compositionIn(definition)?.roleId ?? role_id);
  await enqueueReconcile(tx, {
    communityId: community.id,
    members: '*',
    cause: 'rule',
    roleIds: [...new Set(roleIds)],
    ruleChangeIds: [],
  });
}

async function writePasses(
  ctx: Context,
  tx: Tx,
  community: CommunityRow,
  { passes }: RuleSetDiff,
  roles: Roles,
): Promise<void> {
  for (const { wanted, existing, fields } of passes) {
    if (existing !== undefined && fields.length === 0) continue;
    const request = toPassRequest(wanted);
    const roleSet = request.roleSet.map(({ id }) => {
      const role = roles?.get(id);
      return role === undefined
        ? { id }
        : { id, name: role.name, ...(role.color !== undefined && { color: role.color }) };
    });
    if (existing === undefined) await createPassIn(ctx, tx, community, { ...request, roleSet });
    else await updatePass(tx, existing.id, passColumns({ ...request, roleSet }));
  }
}
