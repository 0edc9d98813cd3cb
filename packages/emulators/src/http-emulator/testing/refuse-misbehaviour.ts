import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { fuzzAnswers, volume } from '@latchkey/test-kit';
import type { HttpEmulator } from '../index.ts';

/** A reader's answer: what it read, or why it is unknown. */
type Answer = { kind: string; reason?: string; amount?: string; tokens?: readonly { id: string; amount: string }[] };

interface Reader<Question> {
  read(questions: readonly Question[]): Promise<readonly Answer[]>;
}

/** A timeout longer than any machine takes for a response. */
export const patientMs = 120_000;
const hastyMs = 300;

type Fault = Parameters<HttpEmulator['misbehave']>[0];

/**
 * Makes a service misbehave in every way and expects unknown answers; once it behaves again, it is read again. Then corrupts its responses
 * in one place each: the result must be correct or unknown, whatever is corrupted except the `optional` fields. Only a hanging service is
 * read with a short timeout, because a busy machine may exceed it.
 */
export async function refuseMisbehaviour<Question>(
  emulator: Pick<HttpEmulator, 'misbehave' | 'behave' | 'requests'>,
  open: (timeoutMs: number) => Reader<Question>,
  questions: readonly Question[],
  lies: Readonly<Record<string, (body: unknown) => unknown>> = {},
  optional: readonly string[] = [],
): Promise<void> {
  const faults: [string, Fault][] = [
    ['too many requests', { kind: 'status', status: 429, headers: { 'retry-after': '60' } }],
    ['an outage', { kind: 'status', status: 503, headers: { 'retry-after': '0' } }],
    ['a refused key', { kind: 'status', status: 403 }],
    ['silence', { kind: 'hang' }],
    ['a broken connection', { kind: 'cut' }],
    ['no JSON', { kind: 'malformed' }],
    ['JSON of another kind', { kind: 'lie', change: () => 'null' }],
    ...Object.entries(lies).map(([name, change]): [string, Fault] => [name, { kind: 'lie', change }]),
  ];
  const [hasty, patient] = [open(hastyMs), open(patientMs)];
  for (const [name, fault] of faults) {
    const isSilent = fault.kind === 'hang';
    emulator.misbehave(fault);
    const before = emulator.requests.length;
    let answers = await (isSilent ? hasty : patient).read(questions);
    for (let tries = 1; isSilent && emulator.requests.length === before && tries < 100; tries += 1)
      answers = await hasty.read(questions);
    assert.ok(
      answers.length > 0 && answers.every((answer) => answer.kind === 'unknown' && /\.$/.test(answer.reason ?? '')),
      name,
    );
    assert.ok(emulator.requests.length > before, `${name}: the service received a request`);
    assert.ok(!JSON.stringify(answers).includes('127.0.0.1'), `${name}: no URL in a reason`);
    emulator.behave();
  }
  emulator.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': '0' } }, 1);
  const answers = await patient.read(questions);
  const isRead = answers.every((answer) => answer.kind === 'read');
  assert.ok(isRead, `a transient overload is waited out: ${JSON.stringify(answers)}`);
  await fuzzAnswers({
    name: JSON.stringify(questions),
    rounds: volume(60, 3_000),
    intercept: (change) => {
      emulator.behave();
      if (change !== undefined) emulator.misbehave({ kind: 'lie', change });
    },
    read: () => patient.read(questions),
    isRight: (got, truth) =>
      got.length === truth.length && got.every((answer, place) => isRightAnswer(answer, truth[place])),
    optional,
  });
}

/** Unknown, or the same amounts of the same tokens. Names and pictures do not matter. */
function isRightAnswer(got: Answer, truth: Answer | undefined): boolean {
  if (got.kind === 'unknown') return true;
  const essence = ({ kind, amount, tokens }: Answer) => ({ kind, amount, held: tokens?.map((t) => [t.id, t.amount]) });
  return truth !== undefined && isDeepStrictEqual(essence(got), essence(truth));
}
