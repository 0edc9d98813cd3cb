import type { Sql } from '@latchkey/db';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../shared/context.ts';
import { selectByDigest, selectDigests } from './queries.ts';
import type { PictureType } from './recognize.ts';

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
