/**
 * Refuses comparisons with a baseline that did not do the work: an empty page has the best score, and an error is the fastest answer.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Contender, Load } from './load.ts';

export class WorthlessBaseline extends Error {}

/** Fails unless this holds for what a baseline did. */
export function expectBaseline(isSound: boolean, problem: string): asserts isSound {
  if (!isSound) throw new WorthlessBaseline(`${problem} The figures would be worthless.`);
}

/** Sends the request of a load once, and returns the parsed JSON of the answer. */
export async function answerOf(url: string, { method, path, headers, body }: Load): Promise<unknown> {
  const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await answer.text();
  expectBaseline(answer.ok, `${method} ${path} came to ${answer.status}: ${text.slice(0, 200)}.`);
  expectBaseline(text !== '', `${method} ${path} was answered with nothing.`);
  return JSON.parse(text);
}

/** Fails unless all contenders answer the first request with the same fields of the same types. */
export async function expectSameAnswers(contenders: readonly Contender[]): Promise<void> {
  const [first, ...others] = await Promise.all(
    contenders.map(({ server, loads: [load] }) => answerOf(server.url, load)),
  );
  for (const other of others)
    expectBaseline(
      isDeepStrictEqual(shapeOf(other), shapeOf(first)),
      `The baseline answers ${JSON.stringify(other)}, and Latchkey ${JSON.stringify(first)}.`,
    );
}

/** Returns a value with the names of types in place of its strings, numbers and booleans. Lists keep the shape of their first entry. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [name, shapeOf(field)]);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}
