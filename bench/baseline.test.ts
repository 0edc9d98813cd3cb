import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { listenLocally } from '@latchkey/test-kit';
import { expectBaseline, expectSameAnswers, WorthlessBaseline } from './baseline.ts';
import type { Load } from './load.ts';

const load: Load = { method: 'GET', path: '/', headers: {} };
const figures = {
  startedInMs: 0,
  cpuSeconds: () => 0,
  residentMegabytes: () => 0,
  stop: async () => undefined,
};

function serving(body: string, status = 200) {
  return listenLocally(createServer((_request, response) => response.writeHead(status).end(body)));
}

async function compare(ours: string, theirs: string, status = 200): Promise<void> {
  await using first = await serving(ours);
  await using second = await serving(theirs, status);
  await expectSameAnswers([first, second].map(({ url }) => ({ server: { ...figures, url }, loads: [load] as const })));
}

test('a baseline with the same fields as Latchkey is accepted, whatever their values', async () => {
  await compare('{"id":"1","items":[{"n":1},{"n":2}]}', '{"items":[{"n":7}],"id":"x"}');
});

for (const [name, body, status] of [
  ['nothing', '', 200],
  ['an empty list', '{"id":"1","items":[]}', 200],
  ['other fields', '{"ok":true}', 200],
  ['an error', '{"id":"1","items":[{"n":1}]}', 404],
] as const)
  test(`a baseline that answers ${name} is refused`, async () => {
    await assert.rejects(compare('{"id":"1","items":[{"n":1}]}', body, status), WorthlessBaseline);
  });

test('a refusal says what is wrong with the baseline', () => {
  assert.throws(
    () => expectBaseline(false, 'It shows an empty page.'),
    /^Error: It shows an empty page\. The figures would be/,
  );
});
