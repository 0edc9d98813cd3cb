import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Refusal, RoleFault } from '../../../ports/index.ts';
import type { RoleAction } from '../planning/change-set.ts';

/** Wildcard for every role, or every member, of a community. */
export const all = '*';

/** A problem that an admin must fix on the platform before roles can be written again. */
export interface RoleBreaker {
  /** Absent if it applies to every role. */
  roleId?: string;
  /** Absent if it applies to every member. */
  userId?: string;
  fault: RoleFault;
  advice: string;
  since: Date;
}

export interface BreakerRow {
  community_id: string;
  role_id: string;
  user_id: string;
  fault: RoleFault;
  advice: string;
  since: Date;
  is_on_trial: boolean;
}

/** Whether breaker `s` blocks item `i`. A role that must not be granted can still be removed. */
export const holdsFor = sql<boolean>`s.community_id = i.community_id and not s.is_on_trial
  and s.role_id in ('*', i.role_id) and s.user_id in ('*', i.user_id) and (s.fault <> 'ruling' or i.action = 'grant')`;

/** Whether any breaker blocks item `i`. */
export const isStopped = sql<boolean>`exists (select from role_circuit_breakers s where ${holdsFor})`;

/** After this many members were refused the same role one by one, the role itself is considered at fault. */
export const sameRefusals = 3;

/**
 * Opens a breaker for the scope of a refusal, or reopens one that is on trial. `since` stays at the first refusal. Once
 * single changes of one role were refused for several members, the whole role is blocked.
 */
export async function openBreaker(
  tx: Sql,
  communityId: string,
  { roleId, userId, advice, fault = 'refused' }: Omit<Partial<RoleBreaker>, 'since'> & Pick<Refusal, 'advice'>,
  now: Date,
): Promise<void> {
  const stop = { community_id: communityId, role_id: roleId ?? all, user_id: userId ?? all };
  await tx
    .insertInto('role_circuit_breakers')
    .values({ ...stop, fault, advice, since: now, is_on_trial: false })
    .onConflict((conflict) =>
      conflict.columns(['community_id', 'role_id', 'user_id']).doUpdateSet({ fault, advice, is_on_trial: false }),
    )
    .execute();
  if (roleId === undefined || userId === undefined) return;
  const alike = await tx
    .selectFrom('role_circuit_breakers')
    .select('user_id')
    .where('community_id', '=', communityId)
    .where('role_id', '=', roleId)
    .where('user_id', '<>', all)
    .execute();
  if (alike.length < sameRefusals) return;
  await tx
    .deleteFrom('role_circuit_breakers')
    .where('community_id', '=', communityId)
    .where('role_id', '=', roleId)
    .execute();
  await openBreaker(tx, communityId, { roleId, advice, fault }, now);
}

/** The breaker that matches the scope of a refused write to a member. */
export function breakerOf(refusal: Refusal, userId: string): Omit<RoleBreaker, 'since'> {
  const { advice, roleId, fault = 'refused', scope = 'role' } = refusal;
  const role = (scope === 'change' || scope === 'role') && roleId !== undefined ? { roleId } : {};
  return { advice, fault, ...role, ...((scope === 'change' || scope === 'member') && { userId }) };
}

export function selectBreakerRows(db: Sql, communityId: string): Promise<BreakerRow[]> {
  return db
    .selectFrom('role_circuit_breakers')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('role_id')
    .orderBy('user_id')
    .execute();
}

/** Breakers in all communities that the transaction can see, newest first. */
export function selectVisibleBreakers(tx: Tx, limit: number): Promise<BreakerRow[]> {
  return tx
    .selectFrom('role_circuit_breakers')
    .selectAll()
    .orderBy('since', 'desc')
    .orderBy('role_id')
    .limit(limit)
    .execute();
}

export async function selectBreakers(db: Sql, communityId: string): Promise<RoleBreaker[]> {
  const rows = await selectBreakerRows(db, communityId);
  return rows.map(({ role_id, user_id, fault, advice, since }) => ({
    ...(role_id !== all && { roleId: role_id }),
    ...(user_id !== all && { userId: user_id }),
    fault,
    advice,
    since,
  }));
}

export async function closeBreaker(
  tx: Sql,
  stop: Pick<BreakerRow, 'community_id' | 'role_id' | 'user_id'>,
): Promise<void> {
  await tx
    .deleteFrom('role_circuit_breakers')
    .where('community_id', '=', stop.community_id)
    .where('role_id', '=', stop.role_id)
    .where('user_id', '=', stop.user_id)
    .execute();
}

/**
 * Puts breakers on trial so that blocked writes are retried: all of them, or those that affect these roles. Returns
 * whether there were any.
 */
export async function retryBreakers(tx: Sql, communityId: string, roleIds?: readonly string[]): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('role_circuit_breakers')
    .set({ is_on_trial: true })
    .where('community_id', '=', communityId)
    .$if(roleIds !== undefined, (query) =>
      query.where('role_id', '=', (eb) => eb.fn.any(eb.val([...(roleIds ?? []), all]))),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Closes breakers on trial that a successful write has disproved. */
export async function endTrials(
  tx: Tx,
  communityId: string,
  written: readonly { user_id: string; role_id: string; action: RoleAction }[],
): Promise<void> {
  if (written.length === 0) return;
  await sql`
    delete from role_circuit_breakers s using jsonb_to_recordset(${JSON.stringify(
      written.map(({ user_id, role_id, action }) => ({ user_id, role_id, action })),
    )}::jsonb) as i (user_id text, role_id text, action text)
    where s.community_id = ${communityId} and s.is_on_trial and s.role_id in (${all}, i.role_id)
      and s.user_id in (${all}, i.user_id) and (s.fault <> 'ruling' or i.action = 'grant')`.execute(tx);
}

/** Closes breakers on trial for which no pending item is left that could be refused. */
export async function endIdleTrials(tx: Tx, communityId: string): Promise<void> {
  await sql`
    delete from role_circuit_breakers s where s.community_id = ${communityId} and s.is_on_trial and not exists (
      select from change_set_items i where i.community_id = s.community_id and i.state in ('pending', 'sent')
        and s.role_id in (${all}, i.role_id) and s.user_id in (${all}, i.user_id))`.execute(tx);
}

/** Selects the roles that are blocked for all members, for use in statements of other modules. */
export const blockedRoles = sql<Pick<BreakerRow, 'community_id' | 'role_id' | 'advice' | 'since'>>`
  select community_id, role_id, advice, since from role_circuit_breakers where user_id = '*'`;
