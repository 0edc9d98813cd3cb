import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Operation, splitSdk } from '@latchkey/kernel';
import { exampleRequest } from '@latchkey/portal/example-request';
import type { Example } from '../../src/examples.ts';
import { problemsOf } from '../harness/check-answer.ts';
import { codeOf } from '../harness/error-shape.ts';
import { fillLists } from '../harness/examples/fill-lists.ts';
import { keepExample, readExample } from '../harness/examples/kept-examples.ts';
import { recordExample } from '../harness/examples/record-example.ts';
import { kindsThatDiffer } from '../harness/examples/shape.ts';
import { sendRaw } from '../harness/raw-http.ts';
import type { Headers } from '../harness/refused-credentials.ts';
import type { Draft } from '../harness/sample-request.ts';
import { connectSdk, createSdkCaller } from '../harness/sdk-client.ts';
import { served } from '../harness/served.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import { turns } from './turns.ts';

/**
 * Calls that only succeed with what a browser, Telegram or an app on Reddit provides; see test/oauth and the modules
 * join-page and devvit.
 */
const outOfReach = [
  'GET /oauth2/callback/{slug}',
  'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke',
  'POST /latchkey/devvit/sync',
  'POST /latchkey/telegram-join-requests/{slug}/check',
  'POST /latchkey/telegram-join-requests/{slug}/open',
];

/** Reads that consume what they return. */
const usesUp = ['GET /reddit/unlink-token'];

/** Calls that need a secret or short-lived value, which no page can show. The recorded value is refused as such. */
const withProof = [
  'GET /oauth2/authorize',
  'POST /dev-orgs/verify',
  'POST /reddit/community',
  'POST /webauthn/registration/verify',
];

const isRecording = process.env.LATCHKEY_RECORD_EXAMPLES !== undefined;
const advice = 'To record it again: LATCHKEY_RECORD_EXAMPLES=1 npm test -- contract/sdk';

turns.describe('contract: the examples of the reference', () => {
  let world: World;
  const { call } = createSdkCaller();

  before(async () => {
    world = await openWorld();
    await fillLists(world);
  });
  after(() => world.server.close());

  for (const operation of served.filter(({ route }) => !outOfReach.includes(route)))
    test(`${operation.route} responds as its example shows`, async () => {
      const kept = readExample(operation.route);
      const { example, draft, credential } = await recordExample(world, operation);
      const problems = problemsWith(operation, kept, example);
      if (isRecording && problems.length > 0) keepExample(operation.route, newExample(kept, example, problems));
      else assert.deepEqual(problems, [], advice);
      if (!isRecording) await sendShown(world, operation, credential);
      if (!canBeRepeated(operation) || !example.response.type?.includes('json')) return;
      const sdk = await connectSdk(world.server, sdkCredential(credential));
      const answer = await call(sdk, operation.route, ...argumentsOf(draft));
      assert.deepEqual(kindsThatDiffer(example.response.body, answer), []);
    });
});

/**
 * The server must at least accept the form of what readers copy and send. Outdated ids and proofs may be refused as
 * such.
 */
async function sendShown({ server }: World, { route }: Operation, credential: Headers): Promise<void> {
  const { method, target, headers, body } = exampleRequest(route);
  const answer = await sendRaw(server.url, {
    method,
    target,
    headers: [...headers, ...Object.entries(credential)],
    ...(body !== undefined && { body: Buffer.from(body) }),
  });
  const text = answer.body.toString();
  const isUnderstood = (answer.status !== 400 && answer.status !== 422) || withProof.includes(route);
  assert.ok(isUnderstood, `The example that the reference shows is answered with ${answer.status}: ${text}`);
}

/** Whether the SDK can repeat the call. */
function canBeRepeated(operation: Operation): boolean {
  return operation.method === 'GET' && splitSdk(operation) !== undefined && !usesUp.includes(operation.route);
}

function sdkCredential(headers: Headers): Record<string, string> {
  const { authorization, 'x-api-key': apiKey } = headers;
  return { ...(authorization && { authenticatedEncryption: authorization }), ...(apiKey && { apiKey }) };
}

/** In the order of the SDK, which is that of the parameters. */
function argumentsOf({ operation, path, query, headers }: Draft): unknown[] {
  const given: Record<string, string> = { ...path, ...Object.fromEntries([...query, ...headers]) };
  return Object.keys(operation.params).map((name) => given[name]);
}

/** Returns why a stored example no longer shows what the operation does; empty if it does. */
function problemsWith(operation: Operation, kept: Example | undefined, seen: Example): string[] {
  if (kept === undefined) return ['There is no example.'];
  const { status, type, location, body } = kept.response;
  const text = type?.includes('json') ? JSON.stringify(body) : String(body ?? '');
  const headers = new Map(Object.entries({ ...(type && { 'content-type': type }), ...(location && { location }) }));
  const answer = { status, headers, body: Buffer.from(text), ms: 0 };
  return [
    ...kindsThatDiffer(kept, seen),
    ...refusalsThatDiffer(kept, seen),
    ...(seen.response.type === type && isReadable(kept) ? problemsOf(operation.method, operation.path, answer) : []),
  ];
}

/** Returns the error codes of a call, if they differ from the stored ones. */
function refusalsThatDiffer(kept: Example, seen: Example): string[] {
  // Whether a repeated call conflicts also depends on how far the worker is.
  const codes = ({ refusals = [] }: Example) =>
    refusals
      .filter(({ status }) => isRecording || status !== 409)
      .map(({ status, body }) => `${status} ${codeOf(JSON.stringify(body))}`)
      .join(', ');
  return codes(kept) === codes(seen) ? [] : [`${refusedWith} ${codes(seen)}; kept are ${codes(kept) || 'none'}.`];
}

const refusedWith = 'It is refused with';

/** What is stored of a new recording: the old call stays if only its refusals differ, so that a review shows what changed. */
function newExample(kept: Example | undefined, seen: Example, problems: readonly string[]): Example {
  const isOther = problems.some((problem) => !problem.startsWith(refusedWith));
  if (kept === undefined || isOther) return seen;
  const { refusals } = seen;
  return { request: kept.request, response: kept.response, ...(refusals && { refusals }) };
}

/** Pictures are not stored. */
function isReadable({ response: { type, body } }: Example): boolean {
  return type === undefined || body !== undefined;
}
