import { connect } from 'node:net';
import { contextFor, keepTelegramSessions } from '@latchkey/core';
import { insertErasure, pseudonymFor } from '@latchkey/core/testing/insides';
import { startTelegramEmulator } from '@latchkey/emulators/telegram';
import { createTelegram } from '@latchkey/platforms/telegram';
import { PlainBrowser } from '../../src/oauth/platform-logins/testing.ts';
import { type Call, caller } from './call-api.ts';
import { people } from './outside-world.ts';
import { allowLinkedRoles } from './sample-linked-roles.ts';
import { allowOnReddit } from './sample-reddit.ts';
import { allowOnX } from './sample-x.ts';
import type { Keep } from './secret-journey.ts';
import type { World } from './set-up-world.ts';
import type { TestServer } from './test-server.ts';

/** Signs in with Discord once, and leaves another login there unfinished. */
export async function usePlatformLogin({ server, outside: { discord } }: World, keep: Keep): Promise<void> {
  keep('secret of the application on Discord', discord.application.clientSecret);
  discord.application.redirectUris.add(`${server.url}/login/return/discord`);
  const browser = new PlainBrowser();
  const begin = async () => {
    const begun = await browser.get(`${server.url}/login/connect/with/discord`);
    keep('state of a login with Discord', new URL(begun.location).searchParams.get('state'));
    for (const cookie of browser.cookies(server.url).values()) keep('cookie of a login with Discord', cookie);
    return begun.location;
  };
  const page = await browser.get(await begin());
  const back = await browser.submit(page, { user: people.alice.userId, decision: 'allow' });
  keep('code of Discord', new URL(back.location).searchParams.get('code'));
  const { location } = await browser.get(back.location);
  keep('slug of a page to connect wallets', location.split('/').at(-1));
  await begin();
  await server.request(
    'GET',
    `/login/return/discord?state=${keep('refused state', server.services.random.id(43))}&code=1`,
  );
}

/** Links an X account, and leaves another attempt unfinished. */
export async function useXLink(world: World, call: Call, keep: Keep): Promise<void> {
  keep('secret of the application on X', world.outside.x.state.app.clientSecret);
  const first = await allowOnX(world);
  keep('state of an attempt to link X', first.state);
  keep('code of X', first.code);
  await call('POST', '/latchkey/account/x', first);
  keep('state of an unfinished attempt to link X', (await allowOnX(world)).state);
  for (const { path, headers } of world.outside.x.requests)
    if (path === '/2/users/me') keep('token of X', headers.authorization?.replace('Bearer ', ''));
}

/** Two users connect linked roles and one disconnects, while Discord refuses everything: all of it stays pending. */
export async function useLinkedRoles(world: World, keep: Keep): Promise<void> {
  const { server, outside } = world;
  outside.discord.misbehave({ kind: 'error', status: 503, on: 'role-connection' });
  for (const { userId } of [people.alice, people.mallory]) {
    const back = await allowLinkedRoles(world, userId);
    keep('state of an attempt to connect linked roles', back.state);
    keep('code of an attempt to connect linked roles', back.code);
    const call = caller(server, await server.aeToken(`DIS#USER#${userId}`));
    await call('POST', '/latchkey/account/linked-roles', back);
    if (userId === people.mallory.userId) await call('DELETE', '/latchkey/account/linked-roles');
  }
  for (const { accessToken, refreshToken } of outside.discord.grantedTokens()) {
    keep('access token of Discord', accessToken);
    keep('refresh token of Discord', refreshToken);
  }
}

/** Gets an invite into a Discord server. Its code lets a person in. */
export async function useRoleInvite({ samples }: World, call: Call, keep: Keep): Promise<void> {
  const id = String(samples['POST /latchkey/account/communities/{communityId}/role-invite communityId']);
  const { url } = await call('POST', `/latchkey/account/communities/${encodeURIComponent(id)}/role-invite`);
  keep('code of a role invite', String(url).split('/').at(-1));
}

/** Links a subreddit by a consent on Reddit, and leaves another consent unused. */
export async function useRedditConsent(world: World, call: Call, keep: Keep): Promise<void> {
  for (const use of ['linked', 'unused']) {
    const returned = await allowOnReddit(world);
    keep(`state of a consent on Reddit (${use})`, returned.state);
    keep(`code of Reddit (${use})`, returned.code);
    await call('POST', '/latchkey/account/reddit-consent', returned);
    keep(`refresh token of Reddit (${use})`, world.outside.reddit.tokens.granted().at(-1));
    if (use === 'linked')
      await call('POST', '/latchkey/account/reddit-consent/subreddits', { name: world.community.subreddit });
  }
}

/** Pairs a Devvit app with a subreddit. */
export async function pairDevvit({ community }: World, call: Call, keep: Keep): Promise<void> {
  const path = `/latchkey/communities/${encodeURIComponent(community.subredditId)}/devvit`;
  keep('pairing code of a Devvit app', (await call('POST', path)).pairingCode);
}

/** Lists the members of a Telegram chat, which needs a login, and once more while Telegram refuses. */
export async function useTelegramListing({ services }: TestServer, keep: Keep): Promise<void> {
  const emulator = await startTelegramEmulator();
  try {
    const apiHash = keep('hash of the application on Telegram', services.random.id(32));
    const token = keep('token of the Telegram bot', emulator.bot.token);
    const { apiId, publicKey, addresses } = await emulator.openMtproto({ apiHash });
    const [firstDc] = addresses;
    if (firstDc === undefined) throw new Error('The emulator has no data center.');
    const { clock, random, log } = services;
    const sessions = keepTelegramSessions(services, { botId: String(emulator.bot.user.id), apiId });
    const listing = { apiId, apiHash, sessions, connect, random, log, server: { firstDc, publicKey } };
    const { host } = createTelegram({ fetch, token, apiUrl: emulator.url, clock }, listing);
    const chatId = String(emulator.createGroup({ title: 'Journey' }).id);
    const list = async () => {
      let pages = 0;
      for await (const _page of host.readMembers(chatId)) pages += 1;
      return pages;
    };
    if ((await list()) < 2) throw new Error('The members were not listed.');
    emulator.misbehave({ kind: 'rate-limit', on: 'channels.', retryAfterSeconds: 60 });
    await list();
  } finally {
    await emulator.stop();
  }
}

/** Registers a mini-app, whose private key its developer sees once, and requests another key. */
export async function useMiniApp(call: Call, organizationId: string, keep: Keep): Promise<void> {
  const made = await call('POST', '/miniapps', { pk: organizationId, name: 'Journey', description: 'Tells secrets.' });
  keep('private key of a mini-app', made.privateKey);
  keep('new private key of a mini-app', (await call('PATCH', `/miniapps/${made.id}/reset-secret`)).privateKey);
}

/** Secrets that the operator configured, and the slugs that lead back from a checkout. */
export function keepPartnerSecrets({ server, outside, partners }: World, keep: Keep): void {
  const { secrets, stripe } = outside;
  keep('key of the registrar', secrets.registrarKey);
  keep('digits of the key of the registrar', secrets.registrarKey.slice(2));
  keep('key of the account that pays for wallets', secrets.payerKey);
  keep('digits of the key of the account that pays for wallets', secrets.payerKey.slice(2));
  keep('secret shared with Snapshot', secrets.snapshot);
  keep('secret shared with the paymaster', secrets.paymaster);
  keep('key of Stripe', stripe.secretKey);
  keep('secret shared with Stripe', stripe.webhookSecret);
  keep('key of the account on NEAR', server.config.near.privateKey);
  keep('slug of a checkout by card', partners.stripeSlug);
  keep('slug of a checkout by a lock', partners.unlockSlug);
}

/** Makes the server create its credential signing keys, and store a user who is being erased. */
export async function useServerSecrets(server: TestServer): Promise<void> {
  await server.request('GET', '/.well-known/did.json');
  const { services } = server;
  const operator = contextFor(services, { kind: 'admin', name: 'test' });
  const person = {
    userId: 'DIS#USER#4715',
    pseudonym: pseudonymFor(services.random),
    wallets: [{ namespace: 'evm', address: people.bob.address }],
    coHolders: [],
    clientIds: [],
  };
  await services.db.transaction('system', (tx) => insertErasure(operator, tx, person));
}
