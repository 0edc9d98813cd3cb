import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectMembers, selectNamed } from '../../communities/memberships/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';

/** Finds the member that an admin names by id or name, with or without the platform's prefix for names. */
export async function findMember(
  ctx: Pick<Context, 'db'>,
  { id, platform }: CommunityRow,
  named: string,
): Promise<string | undefined> {
  const plain = named.trim().replace(/^(?:@|\/?u\/)/, '');
  if (plain === '') return undefined;
  const [byId] = await selectMembers(ctx.db.system, id, [userKey(platform, plain)]);
  if (byId !== undefined && byId.left_at === null) return byId.user_id;
  // Members with the same name cannot be distinguished by name.
  const [only, another] = await selectNamed(ctx.db.system, id, plain, 2);
  return another === undefined ? only?.user_id : undefined;
}
