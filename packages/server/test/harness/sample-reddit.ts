import { PlainBrowser } from '../../src/oauth/platform-logins/testing.ts';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import { type OutsideWorld, people } from './outside-world.ts';
import { inTurn } from './passkeys.ts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

interface RedditWorld {
  server: TestServer;
  outside: Pick<OutsideWorld, 'reddit'>;
  community: { subreddit: string };
}

/** Starts a consent as alice, and gives it on Reddit. */
export async function allowOnReddit({
  server,
  outside: { reddit },
}: Pick<RedditWorld, 'server' | 'outside'>): Promise<{ state: string; code: string }> {
  reddit.redirectUris.add(`${server.url}/login/return/reddit`);
  const call = caller(server, await server.aeToken(aliceId));
  const { url } = await call('POST', '/latchkey/account/reddit-consent/attempts');
  const browser = new PlainBrowser();
  const back = await browser.submit(await browser.get(url), { user: people.alice.name, decision: 'allow' });
  const { searchParams } = new URL((await browser.get(back.location)).location);
  return { state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
}

/** Samples of alice's returns from Reddit, each for one use, and the subreddit that she chooses. */
export async function sampleReddit(world: RedditWorld, count = 3): Promise<Samples> {
  return {
    'POST /latchkey/account/reddit-consent body': await inTurn(count, () => allowOnReddit(world)),
    'POST /latchkey/account/reddit-consent/subreddits body': () => ({ name: world.community.subreddit }),
  };
}

/** Gives alice a permission with which she can link a subreddit. */
export async function consentOnReddit(world: Pick<RedditWorld, 'server' | 'outside'>): Promise<void> {
  const call = caller(world.server, await world.server.aeToken(aliceId));
  await call('POST', '/latchkey/account/reddit-consent', await allowOnReddit(world));
}
