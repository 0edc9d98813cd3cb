import { sql } from '@latchkey/db';
import type { TestServer } from './test-server.ts';

/** Makes users members of one community, where a wallet can belong to only one of them. */
export async function shareCommunity(
  { services }: TestServer,
  communityId: string,
  userIds: readonly string[],
): Promise<void> {
  for (const userId of userIds)
    await sql`
      insert into community_members (community_id, user_id, role_ids, seen_at)
      values (${communityId}, ${userId}, '{}', ${services.clock()})
      on conflict (community_id, user_id) do update set left_at = null`.execute(services.db.system);
}

/** Removes a user again, as if they had never been a member. */
export async function leaveCommunity({ services }: TestServer, communityId: string, userId: string): Promise<void> {
  await sql`delete from reconcile_queue where community_id = ${communityId} and user_id = ${userId}`.execute(
    services.db.system,
  );
  await sql`delete from community_members where community_id = ${communityId} and user_id = ${userId}`.execute(
    services.db.system,
  );
}
