import assert from 'node:assert/strict';
import { issueAeToken, type Services } from '@latchkey/core';
import { adminOf, communityIdOf, membersOf, roleIdOf, type Shape } from './rows.ts';

/** Reads a generated community back through the API, as its admin, and as a stranger who must not see it. */
export async function readBack(services: Services, url: string, shape: Shape, community: number): Promise<void> {
  const id = communityIdOf(community).slice('DIS#COMM#'.length);
  const tokenOf = (userId: string) =>
    issueAeToken(services, {
      userId,
      platform: 'discord',
      scopes: ['$all'],
      credential: 'operator-token',
      ttlSeconds: 600,
    });
  const get = async (userId: string, path: string) => {
    const answer = await fetch(url + path, { headers: { authorization: `AE ${await tokenOf(userId)}` } });
    return { status: answer.status, body: await answer.json() };
  };
  const admin = adminOf(community);
  const page = await get(admin, `/latchkey/communities/${id}/members?limit=100`);
  assert.equal(page.status, 200, JSON.stringify(page.body));
  const shown = page.body.items.map((member: { userName?: string; name?: string }) => member.userName ?? member.name);
  const expected = membersOf(community, shape)
    .map(({ userName }) => userName)
    .toSorted()
    .slice(0, 100);
  assert.deepEqual(shown, expected);
  const stranger = await get(adminOf(community - 1), `/latchkey/communities/${id}/members?limit=1`);
  assert.equal(stranger.status, 404);
  const holders = membersOf(community, shape).filter(({ roleIds }) => roleIds.includes(roleIdOf(community, 0)));
  const filtered = await get(admin, `/latchkey/communities/${id}/members?limit=100&roleIds=${roleIdOf(community, 0)}`);
  assert.equal(filtered.body.items.length, Math.min(100, holders.length));
}
