import { type Sql, sql, type Tx } from '@latchkey/db';
import type { RuleVisibility } from '../../communities/rule-records/index.ts';
import type { ImportSource } from './found-rule.ts';

/**
 * ready: has an equivalent and can be turned on. unmapped: has no equivalent. present: the community already has this
 * rule. imported: became a rule. refused: could not become a rule.
 */
export const entryStates = ['ready', 'unmapped', 'present', 'imported', 'refused'] as const;
export type EntryState = (typeof entryStates)[number];

export interface ImportRow {
  id: string;
  community_id: string;
  source: ImportSource;
  created_at: Date;
}

export interface EntryRow {
  import_id: string;
  community_id: string;
  position: number;
  source_key: string;
  name: string;
  /** The name of the role at the source, if no role here matches it. */
  role_there: string | null;
  role_id: string | null;
  visibility: RuleVisibility;
  definition: Record<string, unknown> | null;
  state: EntryState;
  problem: string | null;
  notes: string[];
  rule_id: string | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    rule_imports: ImportRow;
    rule_import_entries: EntryRow;
  }
}

export async function insertImport(tx: Tx, row: ImportRow, entries: readonly EntryRow[]): Promise<void> {
  await tx.insertInto('rule_imports').values(row).execute();
  await sql`
    insert into rule_import_entries (import_id, community_id, position, source_key, name, role_there, role_id,
      visibility, definition, state, problem, notes, rule_id)
    select import_id, community_id, position, source_key, name, role_there, role_id, visibility, definition, state, problem,
      array(select jsonb_array_elements_text(notes)), rule_id
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e (import_id text, community_id text, position int,
      source_key text, name text, role_there text, role_id text, visibility text, definition jsonb, state text, problem text, notes jsonb,
      rule_id text)`.execute(tx);
}

export function selectImport(db: Sql, communityId: string, id: string): Promise<ImportRow | undefined> {
  return db
    .selectFrom('rule_imports')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function selectImports(db: Sql, communityId: string, limit: number): Promise<ImportRow[]> {
  return db
    .selectFrom('rule_imports')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function selectEntries(db: Sql, importIds: readonly string[]): Promise<EntryRow[]> {
  return db
    .selectFrom('rule_import_entries')
    .selectAll()
    .where('import_id', 'in', [...importIds, ''])
    .orderBy('position')
    .execute();
}

/** The rules that entries of this source became in earlier imports, by the rule's key at the source. */
export async function selectImported(db: Sql, communityId: string, source: ImportSource): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('rule_import_entries as e')
    .innerJoin('rule_imports as i', 'i.id', 'e.import_id')
    .select(['e.source_key', 'e.rule_id'])
    .where('i.community_id', '=', communityId)
    .where('i.source', '=', source)
    .where('e.rule_id', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ source_key, rule_id }) => (rule_id === null ? [] : [[source_key, rule_id] as const])));
}

/** Locks one entry until the transaction ends, so that two admins cannot both create a rule from it. */
export function lockEntry(tx: Tx, importId: string, position: number): Promise<EntryRow | undefined> {
  return tx
    .selectFrom('rule_import_entries')
    .selectAll()
    .where('import_id', '=', importId)
    .where('position', '=', position)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateEntry(
  tx: Tx,
  { import_id, position }: Pick<EntryRow, 'import_id' | 'position'>,
  changes: Pick<EntryRow, 'state' | 'problem' | 'rule_id'>,
): Promise<void> {
  await tx
    .updateTable('rule_import_entries')
    .set(changes)
    .where('import_id', '=', import_id)
    .where('position', '=', position)
    .execute();
}

/** Deletes all but the newest imports of a community; rules created from them stay. */
export async function deleteOldImports(tx: Tx, communityId: string, kept: number): Promise<void> {
  await sql`
    delete from rule_imports where community_id = ${communityId} and id not in (
      select id from rule_imports where community_id = ${communityId} order by created_at desc, id desc limit ${kept}
    )`.execute(tx);
}
