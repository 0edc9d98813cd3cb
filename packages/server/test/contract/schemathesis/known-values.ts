import type { Operation } from '@latchkey/kernel';
import { throwDice } from '../../harness/dice.ts';
import { type Samples, sampleRequest } from '../../harness/sample-request.ts';

const drawsEach = 3;

type Value = string | number;

/**
 * Returns ids and other values of a world for an operation, by their position: `path.id`, `query.limit`, `body.name`.
 * With them requests get further than "not found".
 */
export function knownValues(operation: Operation, samples: Samples, seed: string): Map<string, Set<Value>> {
  const known = new Map<string, Set<Value>>();
  const note = (key: string, value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return;
    known.set(key, (known.get(key) ?? new Set<Value>()).add(value));
  };
  for (let draw = 0; draw < drawsEach; draw += 1) {
    const request = sampleRequest(operation, samples, throwDice(`${seed} ${operation.route} ${draw}`));
    for (const [name, value] of Object.entries(request.path)) note(`path.${name}`, value);
    for (const [name, value] of request.query) note(`query.${name}`, value);
    for (const [name, value] of fieldsOf(request.body)) note(`body.${name}`, value);
  }
  return known;
}

/** Fields with names that a binding can have. */
function fieldsOf(body: unknown): [string, unknown][] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  return Object.entries(body).filter(([name]) => /^\w+$/.test(name));
}
