import { caller } from './call-api.ts';
import { people } from './outside-world.ts';
import type { Samples } from './sample-request.ts';
import { keyRule, makeGuild } from './set-up-community.ts';
import type { World } from './set-up-world.ts';

const path = '/latchkey/account/communities/{communityId}/role-invite';

/** A Discord server of mallory's that alice is not in, with a rule that she meets, and which offers role invites. */
export async function sampleRoleInvites({
  server,
  mallory,
  outside,
}: Pick<World, 'server' | 'mallory' | 'outside'>): Promise<Samples> {
  const { guildId, channelId, roleId } = makeGuild(outside, people.mallory);
  const call = caller(server, mallory);
  const { id } = await call('POST', '/communities', { platform: 'discord', communityId: guildId, name: 'Dogs' });
  const community = `/communities/${encodeURIComponent(id)}`;
  await call('POST', `${community}/tpcs`, keyRule(outside, roleId));
  await call('PUT', `/latchkey${community}/role-invites`, { channelId });
  return { [`GET ${path} communityId`]: id, [`POST ${path} communityId`]: id };
}
