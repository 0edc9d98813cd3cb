import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type EmulatorProposal, proposalEvent, snapshotWebhook, startSnapshotEmulator } from './index.ts';

const space = { id: 'cats.eth', name: 'Cats' };
const proposal: EmulatorProposal = {
  id: '0xabc',
  space,
  title: 'More fish',
  author: '0x1',
  choices: ['Yes', 'No'],
  created: 100,
  start: 200,
  end: 300,
};

async function open(t: TestContext) {
  const emulator = await startSnapshotEmulator();
  t.after(emulator.stop);
  emulator.state.spaces.push(space, { id: 'dogs.eth' });
  emulator.state.proposals.push(proposal, { ...proposal, id: '0xdef', space: { id: 'dogs.eth' } });
  return async (query: string, variables?: Record<string, unknown>) => {
    const response = await fetch(`${emulator.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return {
      status: response.status,
      ...((await response.json()) as { data?: unknown; errors?: { message: string }[] }),
    };
  };
}

test('a query with inline arguments, as snapshot.js sends it, returns the requested fields', async (t) => {
  const ask = await open(t);
  const one = await ask('query { proposal (id: "0xabc") { id title choices link space { id name } } }');
  assert.deepEqual(one.data, {
    proposal: { id: '0xabc', title: 'More fish', choices: ['Yes', 'No'], link: null, space },
  });
  const many = await ask('{ mine: proposals(first: 5, where: { space_in: ["dogs.eth"] }) { id } spaces { id, name } }');
  assert.deepEqual(many.data, { mine: [{ id: '0xdef' }], spaces: [space, { id: 'dogs.eth', name: null }] });
});

test('variables are substituted, space names are lower-cased, and missing items are null', async (t) => {
  const ask = await open(t);
  const query = 'query Both($a: String, $b: String!) { space(id: $a) { name __typename } proposal(id: $b) { id } }';
  assert.deepEqual((await ask(query, { a: 'CATS.eth', b: '0x0' })).data, {
    space: { name: 'Cats', __typename: 'Space' },
    proposal: null,
  });
});

test('a query this hub does not support is refused in GraphQL’s format', async (t) => {
  const ask = await open(t);
  const refused: [query: string, message: RegExp][] = [
    ['{ space(id: "x") { colour } }', /Cannot query field "colour" on type "Space"/],
    ['{ space(id: "x") }', /must have a selection/],
    ['{ space(name: "x") { id } }', /Unknown argument "name"/],
    ['{ space(id: "x") { id }', /Syntax Error/],
    ['{ space(id: ~) { id } }', /Syntax Error/],
    ['mutation { vote { id } }', /Syntax Error/],
  ];
  for (const [query, message] of refused) {
    const { status, errors } = await ask(query);
    assert.equal(status, 400, query);
    assert.match(errors?.[0]?.message ?? '', message);
  }
});

test('the webhook contains the event, and in its header a secret derived from the URL and the salt', async (t) => {
  const seen: { headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.end('ok');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const webhook = snapshotWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, '12345-salt');
  assert.equal(await webhook.send(proposalEvent(proposal, 'proposal/start')), 200);
  assert.equal(seen[0]?.headers.authentication, webhook.secret);
  const { token, secret, ...event } = JSON.parse(seen[0]?.body ?? '');
  assert.deepEqual(event, { id: 'proposal/0xabc', event: 'proposal/start', space: 'cats.eth', expire: 200 });
  assert.equal(token, secret);
  assert.notEqual(secret, webhook.secret);
});

test("a proposal from the hub's page is in its GraphQL, and its event reaches the subscriber once", async (t) => {
  const emulator = await startSnapshotEmulator();
  t.after(emulator.stop);
  emulator.state.spaces.push(space);
  const seen: { secret: unknown; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ secret: request.headers.authentication, body: Buffer.concat(chunks).toString() });
    response.end('ok');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  emulator.sendEventsTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, 'shared');
  const submit = (fields: Record<string, string>) =>
    fetch(emulator.url, { method: 'POST', body: new URLSearchParams(fields) }).then((answer) => answer.text());
  assert.doesNotMatch(await submit({ space: 'nowhere.eth', title: 'Lost' }), /Proposed/);
  assert.match(await submit({ space: space.id, title: 'More <fish>' }), /Proposed.*answered 200.*More &lt;fish&gt;/s);
  assert.equal(seen.length, 1);
  assert.equal(seen[0]?.secret, 'shared');
  const event = JSON.parse(seen[0]?.body ?? '');
  assert.deepEqual([event.event, event.space], ['proposal/created', space.id]);
  const [kept] = emulator.state.proposals;
  assert.equal(event.id, `proposal/${kept?.id}`);
});
