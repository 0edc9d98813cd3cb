import { errorCodes, type Operation } from '@latchkey/kernel';
import type { Samples } from '../../harness/sample-request.ts';
import { knownValues } from './known-values.ts';

/** How often a value is drawn from those that mean something in the world, rather than made from its schema. */
const probability = 0.6;

/** What Schemathesis expects without being told. */
const usualSuccess = ['2xx', '401', '403', '404', '409', '5xx'];
/** A request that fits its schema may be too large, or one too many. */
const limits = ['413', '414', '429'];

/** Writes what Schemathesis is told of each operation, in TOML. */
export function writeSettings(operations: readonly Operation[], samples: Samples, seed: string): string {
  const dictionaries: string[] = [];
  const tables = operations.map((operation) => {
    const bindings: string[] = [];
    // What deletes things is told none of them: the rest needs them.
    const known = operation.method === 'DELETE' ? [] : knownValues(operation, samples, seed);
    for (const [place, values] of known) {
      const name = `d${dictionaries.length}`;
      dictionaries.push(`[dictionaries.${name}]\nvalues = [${[...values].map(quote).join(', ')}]`);
      bindings.push(`${quote(place)} = { dictionary = "${name}", probability = ${probability} }`);
    }
    return [
      '[[operations]]',
      `include-operation-id = ${quote(operation.contract.id)}`,
      `checks.positive_data_acceptance.expected-statuses = [${acceptedOf(operation).map(quote).join(', ')}]`,
      ...(canBeOutOfReach(operation)
        ? ['checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]']
        : []),
      '[operations.parameters]',
      ...bindings,
    ].join('\n');
  });
  return [...dictionaries, ...tables, ''].join('\n');
}

/** What a request that fits the schemas of an operation may be answered with. */
function acceptedOf({ contract, answer, body }: Operation): string[] {
  const statuses = [...usualSuccess, ...limits];
  if (answer.kind === 'redirect') statuses.push('3xx');
  // The schemas of the published API are its clients' own, and are not made narrower.
  if (contract.sdk !== undefined) return [...statuses, '400', '410', '422'];
  // A token for the next page has to come from the one before.
  if (contract.paginated !== undefined) statuses.push('400');
  // Texts with a NUL or half a character, and numbers beyond a double, are JSON, and are read nowhere.
  if (body !== undefined) statuses.push('400');
  const declared = (contract.errors ?? []).map((code) => String(errorCodes[code].status));
  return [...new Set([...statuses, ...declared])];
}

/** Whether it is about what may not be set up, or out of reach. */
function canBeOutOfReach({ contract }: Operation): boolean {
  return contract.errors?.some((code) => errorCodes[code].status === 503) ?? false;
}

/** JSON's texts and numbers are TOML's too, but for the character DEL. */
function quote(value: string | number): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}
