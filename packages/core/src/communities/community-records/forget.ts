import { type RawBuilder, sql, type Tx } from '@latchkey/db';
import type { Erasure, Person } from '../../shared/module.ts';
import { operatorId } from '../../shared/qualified-ids.ts';

/** Removes a person from the data of communities. Ownership is handled by `access`, which knows the other admins. */
export const communityErasure: Erasure = {
  columns: ['communities.admin_user_id', 'communities.profile'],
  stage: 'at-once',
  forget: async (_ctx, tx, person) => {
    await tx
      .updateTable('communities')
      .set({ admin_user_id: null })
      .where('admin_user_id', '=', person.userId)
      .execute();
    await scrubProfiles(tx, person);
  },
};

/** Profile data from applications may contain who created or claimed something. */
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
 * Transfers the communities of an owner: `heirOf` selects the `user_id` of the new owner. Without one, the operator
 * owns the community and it is paused.
 */
export async function giveToHeirs(
  tx: Tx,
  ownerId: string,
  heirOf: (communityId: RawBuilder<unknown>) => RawBuilder<{ user_id: string }>,
  now: Date,
): Promise<void> {
  await sql`
    update communities c set
      owner_id = coalesce(heir.user_id, ${operatorId}),
      status = case when heir.user_id is null and c.status = 'active' then 'paused' else c.status end,
      updated_at = ${now}
    from communities o left join lateral (${heirOf(sql.ref('o.id'))}) heir on true
    where o.owner_id = ${ownerId} and c.id = o.id`.execute(tx);
}
