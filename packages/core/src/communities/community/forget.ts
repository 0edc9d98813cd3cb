import { sql, type Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { Erasure, Person } from '../../shared/module.ts';
import { isUserKey, operatorId } from '../../shared/qualified-ids.ts';
import { putAdmin, setOwner } from './admins/queries.ts';
import { lockCommunity, selectCommunity } from './queries.ts';

/**
 * Takes a person out of the communities that the person looked after. A community belongs to its members, so it stays: the
 * admin of longest standing becomes its owner, and without one it rests and waits for the operator to hand it over.
 */
export const communitiesErasure: Erasure = {
  columns: [
    'communities.owner_id',
    'communities.admin_user_id',
    'communities.profile',
    'community_admins.user_id',
    'community_admins.named_by',
    'community_apps.admin_id',
    'community_access.granted_by_id',
    'community_wallets.created_by_id',
  ],
  stage: 'at-once',
  forget: async (ctx, tx, person) => {
    const { userId, pseudonym } = person;
    await tx.deleteFrom('community_admins').where('user_id', '=', userId).execute();
    await giveToHeir(tx, userId, ctx.clock());
    await answerForNamed(tx, userId);
    await tx.updateTable('communities').set({ admin_user_id: null }).where('admin_user_id', '=', userId).execute();
    await tx.updateTable('community_apps').set({ admin_id: pseudonym }).where('admin_id', '=', userId).execute();
    await tx
      .updateTable('community_access')
      .set({ granted_by_id: pseudonym })
      .where('granted_by_id', '=', userId)
      .execute();
    await tx
      .updateTable('community_wallets')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .execute();
    await scrubProfiles(tx, person);
  },
};

/** The new owner answers for those whom the person had named; for an heir nobody does but the platform. */
async function answerForNamed(tx: Tx, userId: string): Promise<void> {
  await sql`
    update community_admins a set named_by = nullif(c.owner_id, a.user_id)
    from communities c where c.id = a.community_id and a.named_by = ${userId}`.execute(tx);
}

/** What applications described of a community may say who made or took something. */
async function scrubProfiles(tx: Tx, person: Person): Promise<void> {
  const { rows } = await sql<{ id: string; profile: unknown }>`
    select id, profile from communities where strpos(profile::text, ${JSON.stringify(person.userId)}) > 0
    order by id for no key update`.execute(tx);
  for (const { id, profile } of rows) {
    const scrubbed = JSON.stringify(scrub(profile, person));
    await sql`update communities set profile = ${scrubbed}::jsonb where id = ${id}`.execute(tx);
  }
}

function scrub(value: unknown, person: Person): unknown {
  if (value === person.userId) return person.pseudonym;
  if (Array.isArray(value)) return value.map((item) => scrub(item, person));
  if (typeof value !== 'object' || value === null) return value;
  const { createdByName, ...rest } = value as Record<string, unknown>;
  const kept = rest.createdById === person.userId || createdByName === undefined ? rest : { ...rest, createdByName };
  return Object.fromEntries(Object.entries(kept).map(([key, item]) => [key, scrub(item, person)]));
}

/**
 * Makes somebody the owner of a community. For the operator, whose word needs no confirmation by the platform: the last
 * admin may be gone, and the bot with them.
 */
export async function transferCommunity(
  ctx: Pick<Context, 'clock' | 'db'>,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  if (!isUserKey(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Identify the new owner by an id such as DIS#USER#123.');
  await ctx.db.transaction('system', async (tx) => {
    const found = await selectCommunity(tx, id);
    const community = found && (await lockCommunity(tx, found.id));
    if (community === undefined) throw notFound('community');
    await putAdmin(tx, community.id, userId, { namedBy: operatorId }, ctx.clock());
    await setOwner(tx, community.id, userId, ctx.clock());
  });
}

/** Gives the communities of an owner who is no admin any more to their oldest admin, or to the operator, and to rest. */
async function giveToHeir(tx: Tx, ownerId: string, now: Date): Promise<void> {
  await sql`
    update communities c set
      owner_id = coalesce(heir.user_id, ${operatorId}),
      status = case when heir.user_id is null and c.status = 'active' then 'paused' else c.status end,
      updated_at = ${now}
    from communities o left join lateral (
      select a.user_id from community_admins a where a.community_id = o.id order by a.added_at, a.user_id limit 1
    ) heir on true
    where o.owner_id = ${ownerId} and c.id = o.id`.execute(tx);
}
