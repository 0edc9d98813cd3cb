import type { Tx } from '@latchkey/db';
import { AppError, owns } from '@latchkey/kernel';
import { ownCommunity } from '../../communities/access/index.ts';
import { type CommunityRow, lockOwnCommunity } from '../../communities/community-records/index.ts';
import { type ManagedRulesRow, putManagedRules, selectManagedRules } from '../../communities/managed-rules/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { namesOfApps } from '../../identity/client-apps/index.ts';
import { nameInAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import type { RuleSetSource } from './shapes.ts';
import { readState } from './state.ts';

/** Returns which file the rules of a community come from, whether they were changed elsewhere since, and whether they are locked to it. */
export async function getRuleSetSource(ctx: Context, { communityId }: { communityId: string }): Promise<RuleSetSource> {
  const community = await ownCommunity(ctx, communityId);
  const managed = await selectManagedRules(ctx.db.system, community.id);
  return managed === undefined ? { moved: [] } : describe(ctx, community, managed);
}

/** From now on, only a file changes the rules. Locking again changes nothing. */
export async function lockRuleSet(ctx: Context, { communityId }: { communityId: string }): Promise<void> {
  const { id } = await ownCommunity(ctx, communityId);
  await ctx.db.transaction('system', async (tx) => {
    const community = await lockOwnCommunity(tx, id);
    const managed = await selectManagedRules(tx, community.id);
    if (managed?.locked_at != null) return;
    const baseline = managed?.version == null ? await readVersions(tx, community) : {};
    await putManagedRules(tx, community.id, {
      ...baseline,
      locked_at: ctx.clock(),
      locked_by: nameInAudit(ctx.actor),
      locked_to: managed?.applied_by_client ?? null,
    });
  });
}

/** Without a file, changes are counted from the moment of locking. */
async function readVersions(tx: Tx, community: CommunityRow): Promise<Partial<ManagedRulesRow>> {
  const { version, brakesVersion } = await readState(tx, community);
  return { version, brakes_version: brakesVersion };
}

/**
 * Lets admins change the rules by hand again. A stolen session must not get around the review of the file, and neither must any
 * other admin: only the owner and the admin who locked the rules can, and the operator, if neither is left.
 */
export async function unlockRuleSet(ctx: Context, { communityId }: { communityId: string }): Promise<void> {
  if (ctx.actor.kind === 'user') requirePresence(ctx);
  const { id } = await ownCommunity(ctx, communityId);
  await ctx.db.transaction('system', async (tx) => {
    const community = await lockOwnCommunity(tx, id);
    const managed = await selectManagedRules(tx, community.id);
    if (managed?.locked_at == null) return;
    if (!mayUnlock(ctx, community, managed))
      throw new AppError(
        'ROLE_NOT_ALLOWED',
        'Only the owner of the community and the admin who locked its rules can unlock them. If neither is available, ask the operator of this server.',
      );
    await putManagedRules(tx, community.id, { locked_at: null, locked_by: null, locked_to: null });
  });
}

function mayUnlock({ actor }: Pick<Context, 'actor'>, { owner_id }: CommunityRow, managed: ManagedRulesRow): boolean {
  return owns(actor, owner_id) || managed.locked_by === nameInAudit(actor);
}

async function describe(ctx: Context, community: CommunityRow, managed: ManagedRulesRow): Promise<RuleSetSource> {
  const { system } = ctx.db;
  const { version, brakesVersion } = await readState(system, community);
  const clients = [managed.applied_by_client, managed.locked_to].filter((id) => id !== null);
  const apps = await namesOfApps(system, clients);
  const people = await selectMembers(
    system,
    community.id,
    [managed.applied_by, managed.locked_by].filter((id) => id !== null),
  );
  const nameOf = (id: string) => people.find(({ user_id }) => user_id === id)?.user_name ?? undefined;
  const { file, repository, commit_id: commit, applied_at, applied_by, applied_by_client } = managed;
  const appliedByName = applied_by_client === null ? nameOf(applied_by ?? '') : apps.get(applied_by_client)?.name;
  const lockedByName = nameOf(managed.locked_by ?? '');
  const toName = apps.get(managed.locked_to ?? '')?.name;
  return {
    ...(applied_at !== null &&
      applied_by !== null && {
        applied: {
          ...(file !== null && { file }),
          ...(repository !== null && { repository }),
          ...(commit !== null && { commit }),
          time: applied_at.toISOString(),
          by: applied_by,
          ...(appliedByName !== undefined && { byName: appliedByName }),
          isByKey: applied_by_client !== null,
        },
      }),
    moved: [
      ...(managed.version !== null && managed.version !== version ? (['rules'] as const) : []),
      ...(managed.brakes_version !== null && managed.brakes_version !== brakesVersion ? (['brakes'] as const) : []),
    ],
    ...(managed.locked_at !== null &&
      managed.locked_by !== null && {
        lock: {
          time: managed.locked_at.toISOString(),
          by: managed.locked_by,
          ...(lockedByName !== undefined && { byName: lockedByName }),
          ...(toName !== undefined && { toName }),
          canUnlock: mayUnlock(ctx, community, managed),
        },
      }),
  };
}
