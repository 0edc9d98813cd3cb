import assert from 'node:assert/strict';
import type { HttpTwin } from './start.ts';

/** What a reader made of a question: what it read, or why it does not know. */
type Answer = { kind: string; reason?: string };

/** Makes a service misbehave in every way and expects unknown answers; once it behaves again, it is read again. */
export async function refuseMisbehaviour(
  twin: Pick<HttpTwin, 'misbehave' | 'behave' | 'requests'>,
  read: () => Promise<readonly Answer[]>,
  lies: Readonly<Record<string, (body: unknown) => unknown>> = {},
): Promise<void> {
  const faults: [string, Parameters<HttpTwin['misbehave']>[0]][] = [
    ['too many requests', { kind: 'status', status: 429, headers: { 'retry-after': '60' } }],
    ['an outage', { kind: 'status', status: 503, headers: { 'retry-after': '0' } }],
    ['a refused key', { kind: 'status', status: 403 }],
    ['silence', { kind: 'hang' }],
    ['a broken connection', { kind: 'cut' }],
    ['no JSON', { kind: 'malformed' }],
    ['JSON of another kind', { kind: 'lie', change: () => 'null' }],
    ...Object.entries(lies).map(([name, change]): [string, Parameters<HttpTwin['misbehave']>[0]] => [
      name,
      { kind: 'lie', change },
    ]),
  ];
  for (const [name, fault] of faults) {
    twin.misbehave(fault);
    const before = twin.requests.length;
    const answers = await read();
    assert.ok(
      answers.length > 0 && answers.every((answer) => answer.kind === 'unknown' && /\.$/.test(answer.reason ?? '')),
      name,
    );
    assert.ok(twin.requests.length > before, `${name}: the service was asked`);
    assert.ok(!JSON.stringify(answers).includes('127.0.0.1'), `${name}: no address in a reason`);
    twin.behave();
  }
  await waitForOverload(twin, read);
}

const patienceMs = 30_000;

/** The readers of these tests wait so shortly for an answer that a busy machine may be too slow: then they ask again. */
async function waitForOverload(
  twin: Pick<HttpTwin, 'misbehave'>,
  read: () => Promise<readonly Answer[]>,
): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    twin.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': '0' } }, 1);
    const answers = await read();
    if (answers.every((answer) => answer.kind === 'read')) return;
    const said = JSON.stringify(answers);
    const wasLate = /did not answer in time|no time was left/.test(said);
    assert.ok(wasLate && performance.now() < until, `a passing overload is waited for: ${said}`);
  }
}
