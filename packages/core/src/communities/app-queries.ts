import { type Sql, sql, type Tx } from '@latchkey/db';
import type { MiniAppManifest } from './mini-app.ts';

export interface CommunityAppRow {
  community_id: string;
  app_id: string;
  admin_id: string;
  manifest: MiniAppManifest;
  installed_version: string;
  metadata: Record<string, unknown>;
  installed_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    mini_app_manifests: { app_id: string; manifest: MiniAppManifest; registered_at: Date };
    community_apps: CommunityAppRow;
  }
}

export async function selectManifest(db: Sql, appId: string): Promise<MiniAppManifest | undefined> {
  const row = await db
    .selectFrom('mini_app_manifests')
    .select('manifest')
    .where('app_id', '=', appId)
    .executeTakeFirst();
  return row?.manifest;
}

export async function upsertManifest(db: Sql, manifest: MiniAppManifest, now: Date): Promise<void> {
  await db
    .insertInto('mini_app_manifests')
    .values({ app_id: manifest.appId, manifest: asJson(manifest), registered_at: now })
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ manifest: asJson(manifest) }))
    .execute();
}

export async function upsertApp(tx: Tx, row: CommunityAppRow): Promise<void> {
  const { community_id, app_id, ...rest } = row;
  const values = { ...rest, manifest: asJson(row.manifest), metadata: asJson(row.metadata) };
  await tx
    .insertInto('community_apps')
    .values({ community_id, app_id, ...values })
    .onConflict((conflict) => conflict.columns(['community_id', 'app_id']).doUpdateSet(values))
    .execute();
}

/** Answers false when it was not installed. */
export async function deleteApp(tx: Tx, communityId: string, appId: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('community_apps')
    .where('community_id', '=', communityId)
    .where('app_id', '=', appId)
    .executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

function asJson<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}
