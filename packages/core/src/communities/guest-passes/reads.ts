import type { Sql } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { readOfCommunity } from '../access/index.ts';
import { type GuestPass, passTrait, toGuestPass } from './guest-pass.ts';
import { selectPasses, selectRunning } from './queries.ts';

export async function listGuestPasses(
  ctx: Pick<Context, 'actor' | 'db'>,
  { guildId }: { guildId: string },
): Promise<GuestPass[]> {
  return readOfCommunity(ctx, guildId, async (tx, { id }) => (await selectPasses(tx, id)).map(toGuestPass));
}

/** The guest passes that a member holds now. */
export interface GuestOf {
  /** As rules refer to them: `<community>:<pass>:<role>`. */
  passes: string[];
  /** The roles that these passes grant, whatever the rules say. */
  roleIds: string[];
}

/** The active guest passes of members, by qualified id. Members without any are absent. */
export async function guestsAmong(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
  now: Date,
): Promise<Map<string, GuestOf>> {
  if (userIds.length === 0) return new Map();
  const rows = await selectRunning(db, communityId, userIds, now);
  return new Map(
    [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, grants]) => [
      userId,
      {
        passes: grants.flatMap((grant) =>
          grant.role_ids.map((roleId) => passTrait(communityId, grant.pass_id, roleId)),
        ),
        roleIds: [...new Set(grants.flatMap((grant) => grant.role_ids))],
      },
    ]),
  );
}
