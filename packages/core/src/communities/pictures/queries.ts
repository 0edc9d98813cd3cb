import { type Sql, sql } from '@latchkey/db';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../shared/context.ts';
import { activeCommunities } from '../community-records/index.ts';
import type { PictureType } from './recognize.ts';

export interface PictureRow {
  community_id: string;
  version: string | null;
  digest: string | null;
  type: PictureType | null;
  bytes: Buffer | null;
  checked_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_pictures: PictureRow;
  }
}

/** Claims communities whose picture was not checked since `before`, longest ago first. */
export async function claimDuePictures(db: Sql, before: Date, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ community_id: string }>`
    insert into community_pictures (community_id, checked_at)
    select c.id, ${now} from (${activeCommunities}) c left join community_pictures p on p.community_id = c.id
    where p.checked_at is null or p.checked_at < ${before}
    order by p.checked_at nulls first, c.id limit ${limit}
    on conflict (community_id) do update set checked_at = excluded.checked_at
    returning community_id`.execute(db);
  return rows.map(({ community_id }) => community_id);
}

export async function selectVersion(db: Sql, communityId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('community_pictures')
    .select('version')
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  return row?.version ?? undefined;
}

export async function savePicture(db: Sql, row: PictureRow): Promise<void> {
  const { community_id, ...found } = row;
  await db
    .insertInto('community_pictures')
    .values(row)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet(found))
    .execute();
}

export async function setChecked(db: Sql, communityId: string, checkedAt: Date): Promise<void> {
  await db
    .updateTable('community_pictures')
    .set({ checked_at: checkedAt })
    .where('community_id', '=', communityId)
    .execute();
}

async function selectByDigest(db: Sql, digest: string): Promise<Pick<PictureRow, 'type' | 'bytes'> | undefined> {
  return db
    .selectFrom('community_pictures')
    .select(['type', 'bytes'])
    .where('digest', '=', digest)
    .limit(1)
    .executeTakeFirst();
}

/** The digests of communities' pictures; communities without one are absent. */
async function selectDigests(db: Sql, communityIds: readonly string[]): Promise<Map<string, string>> {
  if (communityIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('community_pictures')
    .select(['community_id', 'digest'])
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .where('digest', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ community_id, digest }) => (digest === null ? [] : [[community_id, digest]])));
}

export const picturesPath = '/pictures/';

/**
 * Where community pictures are served, by community id. The URL is derived from the bytes alone, so a client that knows it
 * knows the picture: the request needs no permission, and browsers can cache the response forever.
 */
export async function pictureAddresses(db: Sql, communityIds: readonly string[]): Promise<Map<string, string>> {
  const digests = await selectDigests(db, communityIds);
  return new Map([...digests].map(([id, digest]) => [id, picturesPath + digest]));
}

/** The field of a response with the picture's URL; empty if there is none. */
export function withPicture(addresses: ReadonlyMap<string, string>, communityId: string): { picture?: string } {
  const picture = addresses.get(communityId);
  return picture === undefined ? {} : { picture };
}

interface KeptPicture {
  type: PictureType;
  bytes: Buffer;
}

// The content at a URL never changes, so it can be cached as long as there is room.
const known = new LRUCache<string, KeptPicture>({
  max: 1_000,
  maxSize: 16_000_000,
  sizeCalculation: ({ bytes }) => bytes.length,
  ttl: 60 * 60 * 1000,
});

/** Returns the picture at one of our URLs. `mayLook` is called before the database is queried. */
export async function findPicture(
  { db }: Pick<Context, 'db'>,
  digest: string,
  mayCheck: () => Promise<void>,
): Promise<KeptPicture | undefined> {
  if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
  const present = known.get(digest);
  if (present !== undefined) return present;
  await mayCheck();
  const { type, bytes } = (await selectByDigest(db.system, digest)) ?? {};
  if (type == null || bytes == null) return undefined;
  known.set(digest, { type, bytes });
  return { type, bytes };
}
