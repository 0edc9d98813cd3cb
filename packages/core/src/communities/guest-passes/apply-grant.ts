import type { Tx } from '@latchkey/db';
import { exponentialRetry, job, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { describeRulingRole, nativeUserId, selectCommunity, selectRules } from '../communities/index.ts';
import { addGiven, type GrantRow, selectGrant, selectRunning, updateGrant } from './queries.ts';

type ApplyContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log'>;

/**
 * Gives or takes the roles of one grant. Roles that the member had before the pass are not the pass's to take; roles that
 * a rule or another pass speaks for are left to those.
 */
export const applyGrant = job(
  'guest-passes.apply',
  {
    payload: shape(T.Object({ grantId: T.String({ maxLength: 64 }) })),
    retry: exponentialRetry(12, 5, 3600),
    timeoutSeconds: 180,
  },
  async (ctx: ApplyContext, { grantId }, { signal }) => {
    const grant = await selectGrant(ctx.db.system, grantId);
    if (grant === undefined) return;
    const { discord: host } = ctx.hosts;
    const community = await selectCommunity(ctx.db.system, grant.community_id);
    const userId = nativeUserId('discord', grant.user_id);
    if (community === undefined || userId === undefined) return;
    if (host === undefined) throw new Error('No Discord bot is configured, so the roles of a guest pass wait.');
    const member = await host.readMember(community.community_id, userId, signal);
    if (member === undefined) return note(ctx, grant, 'The member is not in the server.');
    const { add: wanted, remove } = await changesOf(ctx, grant, member.roleIds);
    // A role may have got its power after the pass was made.
    const ruling = wanted.length === 0 ? [] : ((await host.readRulingRoles?.(community.community_id, signal)) ?? []);
    const barred = ruling.filter(({ id }) => wanted.includes(id));
    const add = wanted.filter((roleId) => !barred.some(({ id }) => id === roleId));
    const advice = barred.length === 0 ? null : barred.map((role) => describeRulingRole(role, 'Discord')).join(' ');
    // Noted first: what a crash leaves half done is then still known as given by the pass.
    if (add.length > 0) await addGiven(ctx.db.system, grant.id, add);
    if (add.length + remove.length === 0) return note(ctx, grant, advice);
    const write = { communityId: community.community_id, userId, add, remove, held: member.roleIds };
    const outcome = await host.writeMember({ ...write, reason: `Guest pass ${grant.pass_id}` }, signal);
    if (outcome.kind === 'written') return note(ctx, grant, advice);
    if (outcome.kind === 'gone') return note(ctx, grant, 'The member is not in the server.');
    const problem = outcome.kind === 'forbidden' ? outcome.advice : outcome.reason;
    await note(ctx, grant, problem);
    throw new Error(problem);
  },
);

async function changesOf(
  ctx: ApplyContext,
  grant: GrantRow,
  held: readonly string[],
): Promise<{ add: string[]; remove: string[] }> {
  const now = ctx.clock();
  if (grant.ended_at === null && grant.ends_at > now)
    return { add: grant.role_ids.filter((roleId) => !held.includes(roleId)), remove: [] };
  const spokenFor = await ctx.db.transaction('system', (tx) => passOn(tx, grant, now));
  return {
    add: [],
    remove: grant.given_role_ids.filter((roleId) => held.includes(roleId) && !spokenFor.has(roleId)),
  };
}

/** Answers with the roles that others speak for. What another pass keeps up is from now on that pass's to take back. */
async function passOn(tx: Tx, grant: GrantRow, now: Date): Promise<Set<string>> {
  const rules = await selectRules(tx, grant.community_id);
  const others = await selectRunning(tx, grant.community_id, [grant.user_id], now);
  for (const roleId of grant.given_role_ids) {
    const heir = others.find((other) => other.role_ids.includes(roleId));
    if (heir !== undefined) await addGiven(tx, heir.id, [roleId]);
  }
  return new Set([...rules.map((rule) => rule.role_id), ...others.flatMap((other) => other.role_ids)]);
}

async function note(ctx: ApplyContext, grant: GrantRow, problem: string | null): Promise<void> {
  await updateGrant(ctx.db.system, grant.id, { problem, ...(problem === null && { applied_at: ctx.clock() }) });
  if (problem !== null)
    ctx.log.warn('The roles of a guest pass are not as they should.', { grantId: grant.id, problem });
}
