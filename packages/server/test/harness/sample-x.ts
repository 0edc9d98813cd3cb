import { PlainBrowser } from '../../src/oauth/platform-logins/testing.ts';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import type { OutsideWorld } from './outside-world.ts';
import { inTurn } from './passkeys.ts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

interface XWorld {
  server: TestServer;
  outside: Pick<OutsideWorld, 'x'>;
}

/** Starts linking an X account as alice, and approves it there. */
export async function allowOnX({ server, outside: { x } }: XWorld): Promise<{ state: string; code: string }> {
  x.state.app.redirectUris.add(`${server.url}/account/x`);
  const { url } = await caller(server, await server.aeToken(aliceId))('POST', '/latchkey/account/x/attempts');
  const browser = new PlainBrowser();
  const back = await browser.submit(await browser.get(url), { user: '4200', decision: 'allow' });
  const { searchParams } = new URL(back.location);
  return { state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
}

/** Samples of alice's returns from X, each for one use. Only the newest few attempts of a user are valid. */
export async function sampleXLinks(world: XWorld, count = 3): Promise<Samples> {
  return { 'POST /latchkey/account/x body': await inTurn(count, () => allowOnX(world)) };
}

/** Links alice's X account, so that it can be unlinked. */
export async function linkX(world: XWorld): Promise<void> {
  const call = caller(world.server, await world.server.aeToken(aliceId));
  await call('POST', '/latchkey/account/x', await allowOnX(world));
}
