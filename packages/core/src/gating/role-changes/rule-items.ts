import { type Sql, sql, type Tx } from '@latchkey/db';
import { selectRules } from '../../communities/community/index.ts';
import { openRules } from '../evaluation/index.ts';
import './tables.ts';

/** The causes of change sets that no rule asks for. */
export const ownCauses = { undo: 'undo', guest: 'guest pass', join: 'join request' } as const;

/** Whether the changes of a change set follow from rules, so that a look at its members tells whether they are still wanted. */
export function followsFromRules(cause: string): boolean {
  return !Object.values<string>(ownCauses).includes(cause);
}

/** The roles that the rules of a community give or take. */
export async function selectRuledRoles(db: Sql, communityId: string): Promise<string[]> {
  const rows = await selectRules(db, communityId);
  const { compositions } = openRules(rows);
  return [...new Set([...rows.map((row) => row.role_id), ...compositions.map(({ roleId }) => roleId)])];
}

/** Gives up what waits for roles that no rule names any more. */
export async function dropUnruled(tx: Tx, communityId: string, ruledRoleIds: readonly string[]): Promise<void> {
  await sql`
    update change_set_items i set state = 'dropped', last_error = 'No rule names this role any more.'
    from change_sets p where ${isOfRules(communityId)} and i.role_id <> all(${[...ruledRoleIds]}::text[])`.execute(tx);
}

/** Gives up what waits for roles whose rules changed: the look that follows decides anew. */
export async function dropOfChangedRules(tx: Tx, communityId: string, roleIds: readonly string[]): Promise<void> {
  await sql`
    update change_set_items i set state = 'dropped', last_error = 'A rule of this role changed.'
    from change_sets p where ${isOfRules(communityId)} and i.role_id = any(${[...roleIds]}::text[])`.execute(tx);
}

function isOfRules(communityId: string) {
  return sql`p.id = i.change_set_id and i.community_id = ${communityId} and i.state in ('planned', 'pending')
    and p.cause <> all(${Object.values(ownCauses)}::text[])`;
}

/** The roles of which something waits. */
export async function selectWaitingRoles(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('change_set_items')
    .select('role_id')
    .distinct()
    .where('community_id', '=', communityId)
    .where('state', 'in', ['planned', 'pending', 'sent'])
    .execute();
  return rows.map((row) => row.role_id);
}
