import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { listenLocally } from '@latchkey/test-kit';
import type { OperationModel } from '../../../reference/model.ts';
import { ownToken } from '../../../reference/own-lists.ts';
import {
  communityFor,
  findObjects,
  namesIn,
  ofCommunity,
  readOwnValues,
  sampleCommunity,
  sampleUser,
  unknownRole,
  withOwnToken,
  withOwnValues,
} from './own-values.ts';

const own = {
  userId: 'DIS#USER#7',
  community: { id: 'DIS#COMM#42', platformId: '42', name: 'Cats' },
  rule: { id: 'TPC#0x1#9#1', roleId: '9' },
  roles: ['9', '10'],
  app: { id: 'app-1', name: 'Cat Finder' },
};
const operation = (path: string) => ({ path }) as OperationModel;
const inputs = (parameters: Record<string, string>, json = '') => ({ parameters, form: {}, json });

test('a sample names the community, role and user of a signed-in reader, and says so', () => {
  const given = inputs(
    { 'path communityId': sampleCommunity.id, 'path userId': sampleUser },
    `{ "guildId": "${sampleCommunity.platformId}", "roleId": "300000000000000001" }`,
  );
  const shown = withOwnValues(operation('/communities/{communityId}/members/{userId}'), given, own);
  assert.deepEqual(
    shown.inputs,
    inputs({ 'path communityId': 'DIS#COMM#42', 'path userId': 'DIS#USER#7' }, '{ "guildId": "42", "roleId": "9" }'),
  );
  assert.deepEqual(shown.names.toSorted(), ['your community Cats', 'your role', 'your user id']);
});

test('the id of an application or a rule is replaced where the path asks for one', () => {
  const app = withOwnValues(operation('/client-apps/{id}'), inputs({ 'path id': 'recorded' }), own);
  assert.deepEqual(app, { inputs: inputs({ 'path id': 'app-1' }), names: ['your application Cat Finder'] });
  const listed = withOwnValues(operation('/x/{id}'), inputs({ 'path id': 'recorded' }), {
    ...own,
    objects: { 'path id': 'app-1' },
  });
  assert.deepEqual(listed.names, ['your application Cat Finder'], 'also where it was found in a list');
  const rule = withOwnValues(operation('/rules/{ruleId}'), inputs({ 'path ruleId': 'TPC#0xe7#3#31337' }), own);
  assert.deepEqual(rule.inputs, inputs({ 'path ruleId': 'TPC#0x1#9#1' }));
});

test('what the reader does not have stays as recorded', () => {
  const given = inputs({ 'path communityId': sampleCommunity.id });
  assert.deepEqual(withOwnValues(operation('/communities/{communityId}'), given, {}), { inputs: given, names: [] });
});

test('what the credential may not read is left out', async () => {
  const calls: string[] = [];
  await using server = await listenLocally(
    createServer((request, response) => {
      calls.push(`${request.headers['x-api-key']} ${request.url}`);
      const isApps = request.url?.startsWith('/client-apps') === true;
      response.writeHead(isApps ? 200 : 403).end(isApps ? '{"items":[{"id":"app-1","name":"Cat Finder"}]}' : '{}');
    }),
  );
  const read = await readOwnValues(server.url, { kind: 'api-key', secret: 'k' }, new AbortController().signal);
  assert.deepEqual(read, { app: { id: 'app-1', name: 'Cat Finder' } });
  assert.equal(calls.length, 3);
  assert.ok(calls.every((call) => call.startsWith('k /')));
});

test('each sample role becomes one that the reader’s rules give, and what is left says that it is to be replaced', () => {
  const roles = ['300000000000000002', '300000000000000001', '300000000000000005'];
  const shown = withOwnValues(operation('/x'), inputs({}, JSON.stringify(roles)), own);
  assert.deepEqual(JSON.parse(shown.inputs.json), ['10', '9', unknownRole]);
  const ofSample = { ...own, community: { ...own.community, id: sampleCommunity.id } };
  const kept = withOwnValues(operation('/x'), inputs({}, JSON.stringify(roles)), ofSample);
  assert.deepEqual(JSON.parse(kept.inputs.json), roles, 'the sample community has them');
});

test('samples name the chosen community, and one of Discord where the path is about Discord', async () => {
  const answers: Record<string, unknown> = {
    '/account/administrated-communities?limit=20': {
      items: [
        { id: 'TEL#COMM#-1', communityId: '-1', name: 'Chat' },
        { id: 'DIS#COMM#42', communityId: '42', name: 'Cats' },
        { id: 'DIS#COMM#43', communityId: '43', name: 'Dogs' },
      ],
    },
    '/latchkey/communities/DIS%23COMM%2343/rules?limit=20': {
      items: [
        { id: 'TPC#0x1#9#1', roleId: '9' },
        { id: 'TPC#0x1#9#2', roleId: '9' },
        { id: 'TPC#0x1#8#1', roleId: '8' },
      ],
    },
  };
  await using server = await listenLocally(
    createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    }),
  );
  const credential = { kind: 'ae', secret: 't' } as const;
  const { signal } = new AbortController();
  const read = await readOwnValues(server.url, credential, signal);
  const named = (path: string, chosen: string) => communityFor({ path }, read, chosen)?.name;
  assert.deepEqual([named('/communities/{id}', ''), named('/communities/{id}', 'DIS#COMM#43')], ['Chat', 'Dogs']);
  assert.deepEqual([named('/discord/{guildId}/x', 'TEL#COMM#-1'), named('/reddit/community', '')], ['Cats', undefined]);
  const dogs = await ofCommunity(
    read,
    communityFor({ path: '/x' }, read, 'DIS#COMM#43'),
    server.url,
    credential,
    signal,
  );
  assert.deepEqual([dogs.community?.name, dogs.rule?.id, dogs.roles], ['Dogs', 'TPC#0x1#9#1', ['9', '8']]);
});

test('an operation names the first of the reader’s objects, which may be in a list within another object', async () => {
  const calls: (string | undefined)[] = [];
  const answers: Record<string, unknown> = {
    '/latchkey/dev-orgs': [{ id: 'org-1' }, { id: 'org-2' }],
    '/miniapps/dev-orgs/org-1': { items: [{ id: 'mini-1' }] },
  };
  await using server = await listenLocally(
    createServer((request, response) => {
      calls.push(request.url);
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    }),
  );
  const lists = [{ in: 'path' as const, name: 'miniAppId', list: '/miniapps/dev-orgs/{organizationId}', field: 'id' }];
  const asked = { path: '/miniapps/{miniAppId}', lists, parameters: [] } as unknown as OperationModel;
  const objects = await findObjects(asked, {}, server.url, { kind: 'ae', secret: 't' }, new AbortController().signal);
  assert.deepEqual(objects, { 'path miniAppId': 'mini-1' });
  assert.deepEqual(calls, ['/latchkey/dev-orgs', '/miniapps/dev-orgs/org-1']);
});

test('of a list only the items that are meant count, and an id may be a part of what was returned', async () => {
  const answers: Record<string, unknown> = {
    '/admins': [
      { userId: 'owner', isOwner: true },
      { userId: 'other', isOwner: false },
    ],
  };
  await using server = await listenLocally(
    createServer((request, response) => response.writeHead(200).end(JSON.stringify(answers[request.url ?? ''] ?? {}))),
  );
  const kept = new Map([['latchkey.returned', JSON.stringify({ 'POST /handoffs': { url: 'https://x/handoff/t-1' } })]]);
  Object.defineProperty(globalThis, 'sessionStorage', {
    value: { getItem: (key: string) => kept.get(key) ?? null },
    configurable: true,
  });
  const lists = [
    {
      in: 'path' as const,
      name: 'userId',
      list: '/admins',
      field: 'userId',
      where: { field: 'isOwner', value: false },
    },
    { in: 'path' as const, name: 'id', list: '/admins', field: 'userId', where: { field: 'isOwner', value: 'maybe' } },
    { in: 'body' as const, name: 'ticket', list: 'POST /handoffs', field: 'url', part: '[^/]+$' },
  ];
  const asked = { path: '/x/{userId}/{id}', lists, parameters: [] } as unknown as OperationModel;
  const objects = await findObjects(asked, {}, server.url, { kind: 'ae', secret: 't' }, new AbortController().signal);
  assert.deepEqual(objects, { 'path userId': 'other', 'body ticket': 't-1' });
  Reflect.deleteProperty(globalThis, 'sessionStorage');
});

test('the reader’s token is sent where an operation takes it as a value, and only by the console', () => {
  const lists = [{ in: 'body' as const, name: 'id', list: ownToken, field: '' }];
  const asked = { path: '/wallets', lists } as unknown as OperationModel;
  const given = inputs({}, '{ "id": "YOUR_ID", "account": "0x1" }');
  const tokenIn = (kind: 'ae' | 'api-key') =>
    JSON.parse(withOwnToken(asked, given, { kind, secret: ' secret ' }).json).id;
  assert.deepEqual([tokenIn('ae'), tokenIn('api-key')], ['secret', 'YOUR_ID']);
  assert.equal(withOwnValues(asked, given, { userId: 'DIS#USER#9' }).inputs.json.includes('YOUR_ID'), true);
});

test('the objects of a reader are in the path and in the body, and the page says so', () => {
  const given = inputs({ 'path orgId': 'recorded-org' }, '{ "pk": "recorded-org", "channels": ["1"], "other": "1" }');
  const objects = { 'path orgId': 'org-1', 'body channels': 'channel-1' };
  const shown = withOwnValues(operation('/dev-orgs/{orgId}'), given, { objects });
  assert.deepEqual(shown.inputs.parameters, { 'path orgId': 'org-1' });
  assert.deepEqual(JSON.parse(shown.inputs.json), { pk: 'org-1', channels: ['channel-1'], other: '1' });
  assert.deepEqual(shown.names, ['your organization', 'your channels']);
});

test('what a request is about is named, whether it was prefilled or typed', () => {
  const approve = operation('/latchkey/communities/{communityId}/change-sets/{changeSetId}/approve');
  const about = (parameters: Record<string, string>, json = '', more = {}) =>
    namesIn(approve, inputs(parameters, json), { ...own, ...more });
  const objects = { 'path changeSetId': 'set-1' };
  assert.deepEqual(about({ 'path communityId': 'DIS#COMM#42', 'path changeSetId': 'set-1' }, '', { objects }), [
    'your community Cats',
    'your change set',
  ]);
  assert.deepEqual(about({}, '{ "guildId": "42", "note": "9" }'), ['your community Cats']);
  assert.deepEqual(about({ 'path communityId': 'DIS#COMM#8' }, '{ "note": "42 cats" }'), []);
  const sample = inputs({ 'path communityId': sampleCommunity.id });
  assert.deepEqual(namesIn(approve, sample, {}), ['the sample community'], 'before it is known what the reader has');
  assert.deepEqual(namesIn(operation('/latchkey/account/x'), inputs({}), {}), ['your account']);
});
