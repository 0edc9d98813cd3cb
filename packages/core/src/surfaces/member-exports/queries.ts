import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Generated, JSONColumnType } from 'kysely';
import type { ExportRow, MemberExportRequest } from './export.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    member_exports: Omit<ExportRow, 'filter' | 'members'> & {
      filter: JSONColumnType<MemberExportRequest>;
      members: Generated<number>;
    };
    member_export_parts: { export_id: string; part: number; content: string };
  }
}

export async function insertExport(tx: Tx, row: Omit<ExportRow, 'members'>): Promise<void> {
  await tx
    .insertInto('member_exports')
    .values({ ...row, filter: JSON.stringify(row.filter) })
    .execute();
}

/** The stored exports of a community, newest first. */
export function selectExports(db: Sql, communityId: string, since: Date, limit: number): Promise<ExportRow[]> {
  return db
    .selectFrom('member_exports')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function selectExport(db: Sql, id: string): Promise<ExportRow | undefined> {
  return db.selectFrom('member_exports').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updateExport(
  db: Sql,
  id: string,
  change: Partial<Pick<ExportRow, 'status' | 'members' | 'finished_at' | 'problem'>>,
): Promise<void> {
  await db.updateTable('member_exports').set(change).where('id', '=', id).execute();
}

export async function countUnfinished(tx: Tx, communityId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from member_exports
    where community_id = ${communityId} and status in ('waiting', 'running')`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Deletes all but the newest exports of a community. */
export async function deleteBeyond(tx: Tx, communityId: string, kept: number): Promise<void> {
  await sql`
    delete from member_exports where id in (
      select id from member_exports where community_id = ${communityId}
      order by created_at desc, id desc offset ${kept}
    )`.execute(tx);
}

export async function deleteOldExports(db: Sql, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from member_exports where id in (
      select id from member_exports where created_at <= ${before} limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export async function deleteParts(tx: Sql, exportId: string): Promise<void> {
  await tx.deleteFrom('member_export_parts').where('export_id', '=', exportId).execute();
}

export async function insertPart(tx: Tx, exportId: string, part: number, content: string): Promise<void> {
  await tx.insertInto('member_export_parts').values({ export_id: exportId, part, content }).execute();
}

export function selectParts(
  db: Sql,
  exportId: string,
  after: number,
  limit: number,
): Promise<{ part: number; content: string }[]> {
  return db
    .selectFrom('member_export_parts')
    .select(['part', 'content'])
    .where('export_id', '=', exportId)
    .where('part', '>', after)
    .orderBy('part')
    .limit(limit)
    .execute();
}

/** Deletes the exports a user created, and those they appear in. */
export async function deleteExportsOf(tx: Tx, userId: string, nativeId: string): Promise<void> {
  await sql`
    delete from member_exports e where e.created_by = ${userId} or exists (
      select from member_export_parts p where p.export_id = e.id and strpos(p.content, ${nativeId}) > 0
    ) or strpos(e.filter ->> 'search', ${nativeId}) > 0`.execute(tx);
}
