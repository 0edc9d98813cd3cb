import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { readInfo } from './info.ts';
import { runSample } from './run-sample.ts';

/** Responds with the status in the path, and echoes the request. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url = '', headers } = request;
    response.writeHead(Number(url.slice(1, 4)), { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ method, url, key: headers['x-api-key'], items: [{ id: String(Buffer.concat(chunks)) }] }),
    );
  });
});

describe('a sample that runs', () => {
  let variables: Map<string, string>;
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    variables = new Map([['LATCHKEY_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]]);
  });

  const run = async (text: string) => {
    const sample = { ...readInfo('bash', 'run'), file: 'docs/a.md', line: 10, text, tabs: [] };
    return (await runSample(sample, variables)).map((problem) => `${problem.file}:${problem.line}: ${problem.text}`);
  };

  test('sends its requests and keeps the named fields of the responses', async () => {
    const text = `KEY=one
curl -s -X PUT "$LATCHKEY_URL/200/a" -H "x-api-key: $KEY" -d 'secret'
# keep BODY from .items[0].id
# keep SENT from .key
curl -s "$LATCHKEY_URL/201/$BODY"
# keep PATH_NOW from .url`;
    assert.deepEqual(await run(text), []);
    assert.deepEqual(Object.fromEntries(variables), {
      LATCHKEY_URL: variables.get('LATCHKEY_URL'),
      KEY: 'one',
      BODY: 'secret',
      SENT: 'one',
      PATH_NOW: '/201/secret',
    });
  });

  test('states its expectations below its commands, or above all of them', async () => {
    assert.deepEqual(await run('curl "$LATCHKEY_URL/404"\n# expect 404\ncurl "$LATCHKEY_URL/200"'), []);
    assert.deepEqual(
      await run('# Words.\n# expect 404\ncurl "$LATCHKEY_URL/404"\n# expect 401\ncurl "$LATCHKEY_URL/401"'),
      [],
    );
  });

  test('fails at its line when the response differs', async () => {
    const [problem = '', ...others] = await run('curl "$LATCHKEY_URL/200"\n\ncurl \\\n  "$LATCHKEY_URL/500"');
    assert.match(problem, /^docs\/a\.md:12: was answered with 500 instead of 2xx: \{"method":"GET"/);
    assert.deepEqual(others, []);
    assert.match((await run('curl "$LATCHKEY_URL/200"\n# expect 204')).join(), /:10: .*200 instead of 204/);
  });

  test('fails when a response lacks the field to keep', async () => {
    assert.match(
      (await run('curl "$LATCHKEY_URL/200"\n# keep ID from .items[1].id')).join(),
      /:11: has nothing to keep/,
    );
  });

  test('is rejected when it uses anything that samples do not support', async () => {
    const refused: [string, RegExp][] = [
      ['jq .', /:10: runs jq/],
      ['curl "$LATCHKEY_URL/200" | jq', /:10: has \| outside quotes/],
      ['curl https://example.org/', /:10: sends something to https:\/\/example\.org/],
      ['# only words', /:10: .*runs nothing/],
      ['curl "$LATCHKEY_URL/200"\n# keep x', /:11: "keep x" is neither/],
      ['# expect 200', /:10: .*a command that is not there/],
      ['A=1 curl "$LATCHKEY_URL/200"', /:10: runs A=1/],
      ['\ncurl "$LATCHKEY_URL/$NOTHING"', /:11: uses \$NOTHING/],
    ];
    for (const [text, complaint] of refused) assert.match((await run(text)).join(), complaint, text);
  });
});
