import type { Tx } from '@latchkey/db';
import { exponentialRetry, job } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import {
  addGrantedRoles,
  applyGrant,
  type GrantRow,
  selectGrant,
  selectRunning,
  updateGrant,
} from '../../communities/guest-passes/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { changeRoles, type RoleChange } from '../role-changes/index.ts';

type ApplyContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log' | 'random'>;

/**
 * Grants or removes the roles of one guest pass. Roles that the member had before the pass are not removed; roles that
 * a rule or another pass grants are left to those. What the platform refuses stays pending in its change set, like all
 * changes; the job runs again later to see the result.
 */
export const applyGrantJob = job(
  applyGrant.name,
  { payload: applyGrant.payload, retry: exponentialRetry(12, 5, 3600), timeoutSeconds: 180 },
  async (ctx: ApplyContext, { grantId }, { signal }) => {
    const grant = await selectGrant(ctx.db.system, grantId);
    if (grant === undefined) return;
    const { discord: host } = ctx.hosts;
    const community = await selectCommunity(ctx.db.system, grant.community_id);
    const userId = nativeUserId('discord', grant.user_id);
    if (community === undefined || userId === undefined) return;
    if (host === undefined) throw new Error('No Discord bot is configured, so guest pass roles are pending.');
    const member = await host.readMember(community.community_id, userId, signal);
    if (member === undefined) return note(ctx, grant, 'The member is not in the server.');
    const { add, remove, unwanted } = await changesOf(ctx, grant, member.roleIds);
    // Recorded first: after a crash in between, the roles are still known to come from the pass.
    if (add.length > 0) await addGrantedRoles(ctx.db.system, grant.id, add);
    const change = (action: RoleChange['action']) => (roleId: string) => ({
      userId: grant.user_id,
      roleId,
      action,
      reason: { guestPass: grant.pass_id },
      blocks: {},
    });
    const { problem, isGone } = await changeRoles(ctx, community, {
      cause: 'guest',
      changes: [...add.map(change('grant')), ...remove.map(change('revoke'))],
      unwanted: unwanted.map(change('grant')),
      decidedBy: grant.issued_by_id,
      mayWait: true,
    });
    if (isGone) return note(ctx, grant, 'The member is not in the server.');
    await note(ctx, grant, problem ?? null);
    if (problem !== undefined) throw new Error(problem);
  },
);

async function changesOf(
  ctx: ApplyContext,
  grant: GrantRow,
  held: readonly string[],
): Promise<{ add: string[]; remove: string[]; unwanted: string[] }> {
  const now = ctx.clock();
  if (grant.ended_at === null && grant.ends_at > now)
    return { add: grant.role_ids.filter((roleId) => !held.includes(roleId)), remove: [], unwanted: [] };
  const spokenFor = await ctx.db.transaction('system', (tx) => passOn(tx, grant, now));
  const ended = grant.given_role_ids.filter((roleId) => !spokenFor.has(roleId));
  return {
    add: [],
    remove: ended.filter((roleId) => held.includes(roleId)),
    unwanted: ended.filter((roleId) => !held.includes(roleId)),
  };
}

/**
 * Returns the roles that something else grants. If another pass grants a role, that pass is responsible for removing it
 * from now on.
 */
async function passOn(tx: Tx, grant: GrantRow, now: Date): Promise<Set<string>> {
  const rules = await selectRules(tx, grant.community_id);
  const others = await selectRunning(tx, grant.community_id, [grant.user_id], now);
  for (const roleId of grant.given_role_ids) {
    const heir = others.find((other) => other.role_ids.includes(roleId));
    if (heir !== undefined) await addGrantedRoles(tx, heir.id, [roleId]);
  }
  return new Set([...rules.map((rule) => rule.role_id), ...others.flatMap((other) => other.role_ids)]);
}

async function note(ctx: ApplyContext, grant: GrantRow, problem: string | null): Promise<void> {
  await updateGrant(ctx.db.system, grant.id, { problem, ...(problem === null && { applied_at: ctx.clock() }) });
  if (problem !== null) ctx.log.warn('Guest pass roles are out of sync.', { grantId: grant.id, problem });
}
