import { PlainBrowser } from '../../src/oauth/platform-logins/testing.ts';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import { type OutsideWorld, people } from './outside-world.ts';
import { inTurn } from './passkeys.ts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

interface DiscordWorld {
  server: TestServer;
  outside: Pick<OutsideWorld, 'discord'>;
}

/** Starts connecting linked roles as a user, and approves it on Discord. */
export async function allowLinkedRoles(
  { server, outside }: DiscordWorld,
  user = people.alice.userId,
): Promise<{ state: string; code: string }> {
  outside.discord.application.redirectUris.add(`${server.url}/console/me/linked-roles`);
  const call = caller(server, await server.aeToken(`DIS#USER#${user}`));
  const { url } = await call('POST', '/latchkey/account/linked-roles/attempts');
  const browser = new PlainBrowser();
  const back = await browser.submit(await browser.get(url), { user, decision: 'allow' });
  const { searchParams } = new URL(back.location);
  return { state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
}

/** Samples of alice's returns from Discord, each for one use. */
export async function sampleLinkedRoles(world: DiscordWorld, count = 3): Promise<Samples> {
  return { 'POST /latchkey/account/linked-roles body': await inTurn(count, () => allowLinkedRoles(world)) };
}

/** Connects alice, so that she can disconnect. */
export async function connectLinkedRoles(world: DiscordWorld): Promise<void> {
  const call = caller(world.server, await world.server.aeToken(aliceId));
  await call('POST', '/latchkey/account/linked-roles', await allowLinkedRoles(world));
}
