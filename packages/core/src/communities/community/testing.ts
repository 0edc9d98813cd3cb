import type { Actor } from '@latchkey/kernel';
import type { TestPlatform } from '../../testing/index.ts';
import { putMembers } from '../memberships/index.ts';
import type { Community } from './community.ts';
import { createCommunity } from './create.ts';

export type TestUser = Extract<Actor, { kind: 'user' }>;

let users = 0;

/** A Discord user that no other test uses. */
export function newUser(): TestUser & { nativeId: string } {
  users += 1;
  const nativeId = String(700_000 + users);
  return {
    kind: 'user',
    userId: `DIS#USER#${nativeId}`,
    platform: 'discord',
    scopes: ['$all'],
    credential: 'wallet-session',
    nativeId,
  };
}

let guilds = 0;

/** A guild with two roles that the owner administers on the platform. */
export function newGuild(t: TestPlatform, owner: { nativeId: string }): string {
  guilds += 1;
  const guildId = String(900_000 + guilds);
  t.host.addCommunity(guildId, [
    { id: 'gold', name: 'Gold', color: 15_844_367 },
    { id: 'silver', name: 'Silver' },
  ]);
  t.host.addAdmin(guildId, owner.nativeId);
  return guildId;
}

/** A community with a new guild and a new owner, added by the owner. */
export async function newCommunity(t: TestPlatform): Promise<{ owner: TestUser; community: Community; id: string }> {
  const owner = newUser();
  const communityId = newGuild(t, owner);
  const community = await createCommunity(t.as(owner), {
    body: { platform: 'discord', communityId, name: 'Cats' },
  });
  return { owner, community, id: community.id ?? '' };
}

/** Stores users as members of a community, with these roles. */
export async function addMembers(
  t: TestPlatform,
  communityId: string,
  members: readonly { userId: string; roleIds?: readonly string[]; isBot?: boolean }[],
): Promise<void> {
  const seen = members.map(({ userId, roleIds = [], isBot }) => ({ userId, roleIds, isBot }));
  await putMembers(t.services.db.system, communityId, seen, t.services.clock());
}
