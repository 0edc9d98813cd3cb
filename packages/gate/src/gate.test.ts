import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGate, type GateOptions } from './index.ts';
import { evaluate } from './verdict.ts';

const yes = { roles: [{ id: 'member', granted: true }] };
const no = { roles: [{ id: 'member', granted: false }] };

function gateThatGets(answers: readonly (unknown | Error | Response)[], options: Partial<GateOptions> = {}) {
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const errors: unknown[] = [];
  const gate = createGate({
    baseUrl: 'http://latchkey.test/',
    apiKey: 'key',
    rules: [{ type: 'ERC721', roleId: 'member' }],
    onError: (error) => void errors.push(error),
    fetch: async (url, init) => {
      const answer = answers[sent.length];
      sent.push({ url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
      if (answer instanceof Error) throw answer;
      return answer instanceof Response ? answer : Response.json(answer);
    },
    ...options,
  });
  return { gate, sent, errors };
}

test('a visitor is checked by the rules, with the key of the app or the token of the visitor', async () => {
  const { gate, sent } = gateThatGets([yes, no]);
  assert.deepEqual(await gate.check({ account: '0x1' }), { status: 'granted', roles: ['member'] });
  assert.deepEqual(await gate.check({ accessToken: 't' }), { status: 'denied', roles: [] });
  assert.deepEqual(
    sent.map(({ url, headers, body }) => [url, headers.get('x-api-key'), headers.get('authorization'), body]),
    [
      [
        'http://latchkey.test/access-control/check-roles',
        'key',
        null,
        { account: '0x1', rules: [{ type: 'ERC721', roleId: 'member' }] },
      ],
      [
        'http://latchkey.test/access-control/check-roles',
        null,
        'Bearer t',
        { rules: [{ type: 'ERC721', roleId: 'member' }] },
      ],
    ],
  );
});

test('one role is enough or all are required, and undecided is neither yes nor no', () => {
  const of = (...granted: boolean[]) => granted.map((each, index) => ({ id: String(index), granted: each }));
  const cases: [boolean[], number, string, string][] = [
    [[true], 0, 'granted', 'granted'],
    [[true, false], 0, 'granted', 'denied'],
    [[false, false], 0, 'denied', 'denied'],
    [[true], 1, 'granted', 'unknown'],
    [[false], 1, 'unknown', 'denied'],
    [[], 1, 'unknown', 'unknown'],
    [[], 0, 'unknown', 'unknown'],
  ];
  for (const [granted, errors, any, all] of cases) {
    const checked = { roles: of(...granted), errors: Array.from({ length: errors }, () => ({})) };
    assert.deepEqual(
      [evaluate(checked, 'any').status, evaluate(checked, 'all').status],
      [any, all],
      JSON.stringify(checked),
    );
  }
  assert.equal(evaluate({}, 'any').status, 'unknown');
});

test('a decision is cached for the same visitor only, and an unknown one is not', async () => {
  const { gate, sent } = gateThatGets([yes, no, new TypeError('fetch failed'), yes]);
  const [first, second] = await Promise.all([gate.check({ account: '0x1' }), gate.check({ account: '0x1' })]);
  assert.deepEqual(first, second);
  assert.equal(sent.length, 1);
  assert.equal((await gate.check({ account: '0x2' })).status, 'denied');
  assert.equal((await gate.check({ account: '0x3' })).status, 'unknown');
  assert.equal((await gate.check({ account: '0x3' })).status, 'granted');
  assert.equal(sent.length, 4);
  const fresh = gateThatGets([yes, no], { cacheSeconds: 0 });
  assert.equal((await fresh.gate.check({ account: '0x1' })).status, 'granted');
  assert.equal((await fresh.gate.check({ account: '0x1' })).status, 'denied');
});

test('any failure is unknown, and reported to the developer without the key', async () => {
  const refused = Response.json({ error: { code: 'RATE_LIMITED' } }, { status: 429 });
  const { gate, errors } = gateThatGets([refused, new Response('<html>'), new TypeError('fetch failed')], {
    apiKey: 's3cret',
  });
  for (const account of ['0x1', '0x2', '0x3'])
    assert.deepEqual(await gate.check({ account }), { status: 'unknown', roles: [] });
  assert.match(String(errors[0]), /GateError: Latchkey responded with 429: .*RATE_LIMITED/);
  assert.equal(errors.length, 3);
  assert.ok(!errors.join().includes('s3cret'));
});

test('why a visitor could not be checked reaches the developer, in the words of the server', async () => {
  const message = 'No node is configured that reads erc721 on evm:1.';
  const { gate, errors } = gateThatGets([
    { roles: [], errors: [{ message }, {}] },
    { roles: [] },
    { ...yes, errors: [{ message }] },
  ]);
  assert.deepEqual(await gate.check({ account: '0x1' }), {
    status: 'unknown',
    roles: [],
    reasons: [message, 'Latchkey gave no reason.'],
  });
  assert.equal(String(errors[0]), `GateError: Undecided. ${message} Latchkey gave no reason.`);
  await gate.check({ account: '0x2' });
  assert.match(String(errors[1]), /Undecided\. Latchkey decided about no role/);
  assert.deepEqual(await gate.check({ account: '0x3' }), { status: 'granted', roles: ['member'] });
  assert.equal(errors.length, 2, 'one role was enough');
});

test('a gate that could decide nothing is not created', () => {
  assert.throws(() => gateThatGets([], { rules: [] }), /at least one rule/);
  assert.throws(() => gateThatGets([], { baseUrl: 'somewhere' }), /baseUrl must be/);
});
