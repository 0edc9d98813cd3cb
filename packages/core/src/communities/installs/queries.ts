import { asJson, type Sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import type { MiniAppManifest } from './manifest.ts';

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
    mini_app_manifests: { app_id: string; manifest: MiniAppManifest; registered_at: Date; withdrawn_at: Date | null };
    community_apps: CommunityAppRow;
  }
}

export async function selectManifest(db: Sql, appId: string): Promise<MiniAppManifest | undefined> {
  const row = await db
    .selectFrom('mini_app_manifests')
    .select('manifest')
    .where('app_id', '=', appId)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  return row?.manifest;
}

/** What can be installed, and what a community has installed, including apps that are no longer offered. */
export async function selectOffers(
  db: Sql,
  communityId: string,
): Promise<
  {
    manifest: MiniAppManifest;
    withdrawn_at: Date | null;
    installed_at: Date | null;
    installed_version: string | null;
    metadata: Record<string, unknown> | null;
  }[]
> {
  return db
    .selectFrom('mini_app_manifests as m')
    .leftJoin('community_apps as c', (join) =>
      join.onRef('c.app_id', '=', 'm.app_id').on('c.community_id', '=', communityId),
    )
    .select(['m.manifest', 'm.withdrawn_at', 'c.installed_at', 'c.installed_version', 'c.metadata'])
    .where((eb) => eb.or([eb('m.withdrawn_at', 'is', null), eb('c.installed_at', 'is not', null)]))
    .orderBy('m.app_id')
    .limit(1000)
    .execute();
}

/** An app as installed in a community. */
export function selectInstalledApp(db: Sql, communityId: string, appId: string): Promise<CommunityAppRow | undefined> {
  return db
    .selectFrom('community_apps')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('app_id', '=', appId)
    .executeTakeFirst();
}

/** Returns false if it is not installed. */
export async function updateAppSettings(
  tx: Tx,
  communityId: string,
  appId: string,
  settings: Record<string, unknown>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('community_apps')
    .set({ metadata: asJson(settings) })
    .where('community_id', '=', communityId)
    .where('app_id', '=', appId)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function communitiesWithApp(db: Sql, appId: string): Promise<string[]> {
  const rows = await db.selectFrom('community_apps').select('community_id').where('app_id', '=', appId).execute();
  return rows.map(({ community_id }) => community_id);
}

/** The apps of a community, in the order they were installed. */
export async function installedAppIds(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('community_apps')
    .select('app_id')
    .where('community_id', '=', communityId)
    .orderBy('installed_at')
    .orderBy('app_id')
    .execute();
  return rows.map(({ app_id }) => app_id);
}

export async function removeManifest(tx: Tx, appId: string): Promise<void> {
  await tx.deleteFrom('mini_app_manifests').where('app_id', '=', appId).execute();
}

export async function withdrawManifest(tx: Tx, appId: string, now: Date): Promise<void> {
  await tx.updateTable('mini_app_manifests').set({ withdrawn_at: now }).where('app_id', '=', appId).execute();
}

export async function upsertManifest(db: Sql, manifest: MiniAppManifest, now: Date): Promise<void> {
  await db
    .insertInto('mini_app_manifests')
    .values({ app_id: manifest.appId, manifest: asJson(manifest), registered_at: now, withdrawn_at: null })
    .onConflict((conflict) => conflict.column('app_id').doUpdateSet({ manifest: asJson(manifest), withdrawn_at: null }))
    .execute();
}

/** Reinstalling an app keeps its install time: of two apps with the same command, the older one responds. */
export async function upsertApp(tx: Tx, row: CommunityAppRow): Promise<void> {
  const { community_id, app_id, installed_at, ...rest } = row;
  const values = { ...rest, manifest: asJson(row.manifest), metadata: asJson(row.metadata) };
  await tx
    .insertInto('community_apps')
    .values({ community_id, app_id, installed_at, ...values })
    .onConflict((conflict) => conflict.columns(['community_id', 'app_id']).doUpdateSet(values))
    .execute();
}

/** Returns false if it was not installed. */
export async function deleteApp(tx: Tx, communityId: string, appId: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('community_apps')
    .where('community_id', '=', communityId)
    .where('app_id', '=', appId)
    .executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

export const installsErasure: Erasure = {
  columns: ['community_apps.admin_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx.updateTable('community_apps').set({ admin_id: pseudonym }).where('admin_id', '=', userId).execute();
  },
};
