import {
  contextFor,
  createAdminKey,
  createDevelopmentApp,
  decideClientApp,
  issueAccessToken,
  resetWebhookSecret,
} from '@latchkey/core';
import { keepInteraction, keepQuestion } from '@latchkey/core/testing/insides';
import { type Call, caller } from './call-api.ts';
import {
  keepPartnerSecrets,
  pairDevvit,
  useLinkedRoles,
  useMiniApp,
  usePlatformLogin,
  useRedditConsent,
  useRoleInvite,
  useServerSecrets,
  useTelegramListing,
  useXLink,
} from './feature-secrets.ts';
import type { Secret } from './find-secrets.ts';
import { useHostedWallet } from './hosted-wallet-secrets.ts';
import { aliceId } from './identities.ts';
import { useOauth } from './oauth-secrets.ts';
import { people } from './outside-world.ts';
import { newDevice, registerPasskey } from './passkeys.ts';
import { otpMailedTo } from './read-mail.ts';
import type { World } from './set-up-world.ts';
import type { TestServer } from './test-server.ts';
import { useWallets } from './wallet-secrets.ts';

export interface Journey {
  alice: string;
  appId: string;
  organizationId: string;
  secrets: Secret[];
}

/** Records a secret of a kind, and throws if there is none. */
export type Keep = (kind: string, value: unknown) => string;

/** The settings of a server that issues every kind of secret, and logs as much as possible meanwhile. */
export const journeyEnvironment: Readonly<Record<string, string>> = { LATCHKEY_LOG_LEVEL: 'debug' };

/** Does everything that issues a secret as alice and the operator, and records each. */
export async function takeSecretJourney(world: World): Promise<Journey> {
  const { server } = world;
  const secrets: Secret[] = [];
  const keep: Keep = (kind, value) => {
    if (typeof value !== 'string' || value === '') throw new Error(`The journey got no ${kind}.`);
    secrets.push({ name: kind, value });
    return value;
  };
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  const alice = await server.aeToken(aliceId);
  keep('AE token', alice.split(' ')[1]);
  const call = caller(server, alice);

  const [name, email] = ['Journey', 'journey@example.org'];
  const organization = await call('POST', '/dev-orgs', { name, email });
  const otp = keep('one-time password', await otpMailedTo(server, email));
  const wrong = keep('wrong one-time password', String((Number(otp) + 1) % 1_000_000).padStart(6, '0'));
  await server.request('POST', '/dev-orgs/verify', { headers: { authorization: alice }, json: { otp: wrong } });
  await call('POST', '/dev-orgs/verify', { otp });
  const organizationId = String(organization.sk).replace('ORG#', '');
  await call('PUT', `/dev-orgs/${organizationId}/wallet`);

  const app = await createTwice(server, alice, {
    pk: organizationId,
    name: `${name} application`,
    webhookUrl: 'http://127.0.0.1:9/hook',
    subscribeEvents: ['client-app.status-changed', 'client-app.api-key-reset'],
  });
  keep('API key', app.apiKey);
  keep('secret half of the API key', app.apiKey.split('.')[1]);
  keep('client secret', app.clientSecret);
  keep('webhook secret', app.secret);
  keep('key inside the webhook secret', app.secret.replace('whsec_', ''));
  await decideClientApp(operator, { id: app.id, decision: 'approve', scopes: ['state:create'] });
  const apiKey = keep('new API key', (await call('PATCH', `/client-apps/${app.id}/reset-api-key`)).apiKey);
  keep('new webhook secret', (await resetWebhookSecret(operator, { id: app.id })).secret);
  const rolled = await call('POST', `/latchkey/client-apps/${app.id}/webhook-secret`, { oldSecretEndsInSeconds: 3600 });
  keep('webhook secret beside the old one', rolled.secret);
  const development = await createDevelopmentApp(operator, { userId: aliceId, name, scopes: ['state:create'] });
  keep('API key of a development application', development.apiKey);

  const holder = { kind: 'user', userId: aliceId, platform: 'discord', clientId: app.id } as const;
  const issued = await issueAccessToken(operator, { holder, scopes: ['state:create'], ttlSeconds: 600 });
  const bearer = keep('access token', issued.token);
  const adminKey = keep('key of the operator', (await createAdminKey(operator, name)).key);

  const content = keep('content of a state', server.services.random.id(30));
  const asApp = caller(server, `Bearer ${bearer}`);
  const { slug } = await asApp('POST', '/states', { content, nested: { content } });
  keep('slug', slug);
  await server.request('GET', `/slugs/${slug}`);
  await server.request('GET', `/states/${slug}`);
  await call('GET', `/totp/${name}`);
  await usePasskey(server, alice, keep);
  await useCommunity(world, call, keep);
  await useWallets(world, call, keep);
  await useOauth(server, keep);
  await usePlatformLogin(world, keep);
  await useXLink(world, call, keep);
  await useLinkedRoles(world, keep);
  await useRedditConsent(world, call, keep);
  await useRoleInvite(world, call, keep);
  await pairDevvit(world, call, keep);
  await useTelegramListing(server, keep);
  await useHostedWallet(world, call, keep);
  await useMiniApp(call, organizationId, keep);
  keepPartnerSecrets(world, keep);
  await useServerSecrets(server);

  for (const headers of [{ 'x-api-key': apiKey }, { 'x-api-key': adminKey }] as Record<string, string>[]) {
    await server.request('POST', '/states', { headers, json: { content } });
    await server.request('GET', `/client-apps?limit=1&api_key=${apiKey}`, { headers });
  }
  // Refused values are secrets too: they may be valid elsewhere, or wrong by only one letter.
  for (const token of [`lk_at_${server.services.random.id(43)}`, `${bearer}x`]) {
    keep('refused token', token);
    await server.request('GET', `/states/${token}`, { headers: { authorization: `Bearer ${token}` } });
    await server.request('GET', '/client-apps', { headers: { authorization: `Bearer ${token}` } });
  }
  const refused = keep('refused API key', `${server.services.random.id(21)}.${server.services.random.id(43)}`);
  await server.request('GET', `/client-apps?key=${refused}`, { headers: { 'x-api-key': refused } });
  return { alice, appId: app.id, organizationId, secrets };
}

/**
 * Creates an application, and repeats the request with the same idempotency key: the stored response contains the
 * secrets.
 */
async function createTwice(server: TestServer, authorization: string, json: Record<string, unknown>) {
  const headers = { authorization, 'idempotency-key': `create-${String(json.name).replaceAll(' ', '-')}` };
  const first = await server.request('POST', '/client-apps', { headers, json });
  const second = await server.request('POST', '/client-apps', { headers, json });
  if (first.text !== second.text || second.headers.get('idempotent-replayed') !== 'true')
    throw new Error(`The response was not replayed: ${first.text} ${second.text}`);
  return first.json;
}

/** Signs in with a passkey, once directly and once with a slug, and leaves challenges of every format unanswered. */
async function usePasskey(server: TestServer, alice: string, keep: Keep) {
  const device = newDevice();
  await registerPasskey(server, alice, device);
  const begin = async (format: string) => {
    const { json } = await server.request('GET', `/webauthn/authentication/options?challengeFormat=${format}`);
    keep(`passkey challenge of the format ${format}`, json.challenge);
    return json;
  };
  for (const format of ['slug', 'jwt', 'chain']) {
    await begin(format);
    const json = device.get(await begin(format));
    const { json: answer } = await server.request('POST', '/webauthn/authentication/verify', { json });
    keep('AE token of a passkey', answer.idToken);
  }
  const store = async () => {
    const json = device.get(await begin('slug'));
    return keep('slug of a sign-in', (await server.request('POST', '/webauthn/authentication/store', { json })).json);
  };
  await store();
  await server.request('POST', '/webauthn/authentication/verify', { json: { slug: await store() } });
}

/** Gives the server secrets of others, and has it create a claim, a session and an interaction. */
async function useCommunity({ server, outside, community }: World, call: Call, keep: Keep): Promise<void> {
  const { discord, reddit } = outside;
  keep('token of the Discord bot', discord.application.token);
  keep('secret of the application on Reddit', reddit.clientSecret);
  const botToken = keep('token of a moderator', reddit.tokens.grant(people.alice.name, ['*']));
  await call('POST', '/reddit/community', { communityName: community.subreddit, botToken });
  await call('GET', `/reddit/is-community-config-set?communityId=${community.subreddit}`);
  const refused = keep('refused token of a moderator', `${botToken}-of-another-user`);
  await server.request('POST', '/reddit/community', {
    headers: { authorization: await server.aeToken(aliceId) },
    json: { communityName: community.subreddit, botToken: refused },
  });

  const { slug } = await call('POST', '/reddit/wallet-connection-sessions');
  keep('slug of a session', slug);
  keep('token of a session', (await server.request('GET', `/states/${slug}`)).json.token);
  const claim = await call('POST', '/asset-verification?format=ae', { assets: [`evm:1/native:currency`] });
  keep('encrypted claim', claim.token);
  keep('slug of a claim', claim.slug);
  await server.request('GET', `/asset-verification/${claim.token}`);

  const handle = await outside.press(people.alice.userId, community.channelId);
  keep('token of an interaction', handle.token);
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  const interactionId = keep('id of an interaction', await keepInteraction(operator, handle, community.id));
  await server.request('POST', `/discord/webhooks/${interactionId}`, { json: { content: 'Done.' } });
  await server.request('GET', `/discord/webhooks/${interactionId}/messages/1${'0'.repeat(17)}`);
  const request = { userId: aliceId, communityId: community.id, appId: 'an-app', clientId: 'a-client', scopes: [] };
  const question = { ...request, pressed: { interactionId, message: { content: 'May I?' } } };
  keep('secret of a permission', await keepQuestion(operator, question));
}
