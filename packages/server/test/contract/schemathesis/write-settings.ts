import { errorCodes, type Operation } from '@latchkey/kernel';
import type { Samples } from '../../harness/sample-request.ts';
import { knownValues } from './known-values.ts';

/** How often a value is taken from the known ones, rather than generated from its schema. */
const probability = 0.6;

/** What Schemathesis expects by default. */
const usualSuccess = ['2xx', '401', '403', '404', '409', '5xx'];
/** A request that matches its schema may be too large, or exceed the rate limit. */
const limits = ['413', '414', '429'];

/** Writes the settings of each operation for Schemathesis, in TOML. */
export function writeSettings(operations: readonly Operation[], samples: Samples, seed: string): string {
  const dictionaries: string[] = [];
  const tables = operations.map((operation) => {
    const bindings: string[] = [];
    // Operations that delete get no known values: other operations need them.
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

/** Returns the statuses that a request matching the schemas of an operation may get. */
function acceptedOf({ contract, answer, body }: Operation): string[] {
  const statuses = [...usualSuccess, ...limits];
  if (answer.kind === 'redirect') statuses.push('3xx');
  // The schemas of the published API belong to its clients, and are not narrowed.
  if (contract.sdk !== undefined) return [...statuses, '400', '410', '422'];
  // A pagination token has to come from the previous page.
  if (contract.paginated !== undefined) statuses.push('400');
  // Texts with a NUL or an unpaired surrogate, and numbers beyond a double, are valid JSON, but always refused.
  if (body !== undefined) statuses.push('400');
  const declared = (contract.errors ?? []).map((code) => String(errorCodes[code].status));
  return [...new Set([...statuses, ...declared])];
}

/** Whether it depends on something that may not be configured or available. */
function canBeOutOfReach({ contract }: Operation): boolean {
  return contract.errors?.some((code) => errorCodes[code].status === 503) ?? false;
}

/** JSON strings and numbers are valid TOML too, except for the character DEL. */
function quote(value: string | number): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}
