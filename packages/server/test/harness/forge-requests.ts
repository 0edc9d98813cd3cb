import { createHmac } from 'node:crypto';
import type { Operation } from '@latchkey/kernel';
import type { Headers } from './refused-credentials.ts';
import { type Draft, sampleRequest } from './sample-request.ts';
import { basicOf } from './set-up-oauth.ts';
import type { World } from './set-up-world.ts';
import { signedCall } from './signed-calls.ts';

/** A request with an invalid secret or signature, and the status and code that it must get. */
export interface Forgery {
  kind: string;
  draft: Draft;
  headers: Headers;
  expected: readonly [status: number, code: string];
}

type Forge = (world: World, operation: Operation) => Promise<Forgery[]>;

const wrongSecrets = ['x', "' or 1=1 --", 'undefined', 'null', 'A'.repeat(200)];

const forges: Readonly<Record<string, Forge>> = {
  'POST /hello-action/events': forgeAction,
  'POST /hello-action/interactions': forgeAction,
  'POST /latchkey/devvit/sync': forgeDevvitCall,
  'POST /latchkey/telegram-join-requests/{slug}/open': forgeInitData,
  'POST /oauth2/introspect': forgeClient,
  'POST /oauth2/revoke': forgeClient,
  'POST /oauth2/token': forgeClient,
  'POST /snapshot/webhook/event': forgeHeader,
  'POST /stripe/webhook': forgePayment,
  'POST /telefrens/biconomy/paymaster-webhook': forgePaymaster,
};

/** Open to callers that send a secret or a signature: of this server, of a partner, or of an application. */
export const operationsBySecret = Object.keys(forges);

/** Additional credentials, which must make no difference. */
export function credentialsBeside({ server, alice }: World): Headers[] {
  return [{}, { authorization: alice }, { 'x-api-key': server.adminKey }];
}

export function forge(world: World, operation: Operation): Promise<Forgery[]> {
  return forges[operation.route]?.(world, operation) ?? Promise.resolve([]);
}

const refused = [401, 'INVALID_CREDENTIAL'] as const;
const missing = [401, 'AUTHENTICATION_REQUIRED'] as const;

async function forgeAction(world: World, operation: Operation): Promise<Forgery[]> {
  const { server } = world;
  const body = JSON.stringify({ type: 1, event: 'install', guildId: '1' });
  const right = await signedCall(server, body);
  // Far enough in the future that the duration of these requests does not matter.
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const wrong: [kind: string, headers: Headers][] = [
    ['a signature of another body', await signedCall(server, `${body} `)],
    ['a signature that is too old', await signedCall(server, body, minutesAgo(6))],
    ['a signature of the future', await signedCall(server, body, minutesAgo(-60))],
    ['another time', { ...right, 'x-signature-timestamp': String(Date.now() - 1) }],
    ['no hex', { 'x-signature-timestamp': String(Date.now()), 'x-signature-ed25519': 'x'.repeat(128) }],
    ['nothing but zeros', { 'x-signature-timestamp': String(Date.now()), 'x-signature-ecdsa': `0x${'0'.repeat(130)}` }],
  ];
  return wrong.map(([kind, headers]) => ({ kind, headers, draft: plainDraft(operation, body), expected: refused }));
}

async function forgePayment({ outside: { stripe } }: World, operation: Operation): Promise<Forgery[]> {
  const event = { id: 'evt_forged', type: 'invoice.paid', created: stripe.state.now(), object: {} };
  const { body, signature } = stripe.sign(event);
  const wrong: [kind: string, signature: string][] = [
    ['another secret', stripe.sign(event, { secret: 'whsec_of_another' }).signature],
    ['a signature that is too old', stripe.sign(event, { at: stripe.state.now() - 301 }).signature],
    ['a signature of the future', stripe.sign(event, { at: stripe.state.now() + 3600 }).signature],
    ['another time', signature.replace(/t=\d+/, 't=1')],
    ['a signature without a time', signature.replace(/t=\d+,/, '')],
    ...wrongSecrets.map((secret): [string, string] => ['a made-up signature', secret]),
  ];
  return wrong.map(([kind, forged]) => ({
    kind,
    headers: { 'stripe-signature': forged },
    draft: plainDraft(operation, body),
    expected: refused,
  }));
}

async function forgeHeader({ samples, outside }: World, operation: Operation): Promise<Forgery[]> {
  const draft = { ...sampleRequest(operation, samples), headers: [] };
  const near = [`${outside.secrets.snapshot}x`, outside.secrets.snapshot.slice(1), outside.secrets.paymaster];
  const wrong = [...wrongSecrets, ...near].map((authentication): Forgery => {
    return { kind: 'a wrong secret', headers: { authentication }, draft, expected: refused };
  });
  return [{ kind: 'no secret', headers: {}, draft, expected: missing }, ...wrong];
}

async function forgePaymaster({ samples, outside }: World, operation: Operation): Promise<Forgery[]> {
  const near = [`${outside.secrets.paymaster}x`, outside.secrets.paymaster.slice(1), outside.secrets.snapshot];
  const withToken = (authToken: string | undefined): Draft => {
    const draft = sampleRequest(operation, samples);
    const { data } = draft.body as { data: object };
    return { ...draft, body: { data: { ...data, authToken } } };
  };
  const wrong = [...wrongSecrets, ...near].map((authToken): Forgery => {
    return { kind: 'a wrong secret', headers: {}, draft: withToken(authToken), expected: refused };
  });
  return [{ kind: 'no secret', headers: {}, draft: withToken(undefined), expected: missing }, ...wrong];
}

/** Calls of a Devvit app that was never paired. */
async function forgeDevvitCall(_world: World, operation: Operation): Promise<Forgery[]> {
  const subreddit = { id: 't5_abc', name: 'gated' };
  const message = JSON.stringify({ subreddit, sentTime: Date.now(), nonce: '0'.repeat(16) });
  const prove = (secret: string) =>
    createHmac('sha256', secret).update(`latchkey-devvit-call\n${message}`).digest('base64url');
  return [...wrongSecrets.map(prove), '0'.repeat(43)].map((proof) => ({
    kind: 'a made-up proof',
    headers: {},
    draft: {
      operation,
      method: operation.method,
      path: {},
      query: [],
      headers: [],
      body: { communityId: 'RED#COMM#gated', message, proof },
    },
    expected: refused,
  }));
}

/** Init data of a Mini App, signed for another bot or not at all. */
async function forgeInitData({ samples }: World, operation: Operation): Promise<Forgery[]> {
  const user = JSON.stringify({ id: 7001, first_name: 'Alice' });
  const fields = { auth_date: String(Math.floor(Date.now() / 1000)), user };
  const checked = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const key = createHmac('sha256', 'WebAppData').update('1:token-of-another-bot').digest();
  const hash = createHmac('sha256', key).update(checked.join('\n')).digest('hex');
  const wrong: [kind: string, initData: string][] = [
    ['data for another bot', `${new URLSearchParams({ ...fields, hash })}`],
    ['data without a signature', `${new URLSearchParams(fields)}`],
    ['nothing but zeros', `${new URLSearchParams({ ...fields, hash: '0'.repeat(64) })}`],
    ...wrongSecrets.map((secret): [string, string] => ['a made-up signature', secret]),
  ];
  return wrong.map(([kind, initData]) => ({
    kind,
    headers: {},
    draft: { ...sampleRequest(operation, samples), body: { initData } },
    expected: refused,
  }));
}

/** By RFC 6749 5.2, for anything wrong with how an application authenticates. */
async function forgeClient(world: World, operation: Operation): Promise<Forgery[]> {
  const { oauth, samples, alice, server } = world;
  const other = await server.apiKey(['$all']);
  const proofs: [kind: string, headers: Headers][] = [
    ['a wrong secret', { authorization: basicOf({ ...oauth.client, secret: `${oauth.client.secret}x` }) }],
    ['an unknown application', { authorization: basicOf({ ...oauth.client, id: 'unknown' }) }],
    [
      'an API key in the place of a secret',
      { authorization: basicOf({ ...oauth.client, id: other.id, secret: other.key }) },
    ],
  ];
  const draft = sampleRequest(operation, samples);
  const unknown = proofs.map(
    ([kind, headers]): Forgery => ({ kind, headers, draft, expected: [401, 'invalid_client'] }),
  );
  const others: [kind: string, headers: Headers][] = [
    ['nothing', {}],
    ['no secret', { authorization: basicOf({ ...oauth.client, secret: '' }) }],
    ['the token of a user', { authorization: alice }],
    ['the key of the operator', { 'x-api-key': server.adminKey }],
  ];
  return [
    ...unknown,
    ...others.map(([kind, headers]): Forgery => ({ kind, headers, draft, expected: [400, 'invalid_request'] })),
  ];
}

/** A request with only a body; its signature is in the headers. */
function plainDraft(operation: Operation, body: string): Draft {
  return { operation, method: operation.method, path: {}, query: [], headers: [], body };
}
