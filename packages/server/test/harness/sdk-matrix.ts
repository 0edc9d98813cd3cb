import { sdkTypes } from './sdk-types.ts';

/** A call of the original SDK, with its answer or its refusal. */
export interface SdkCall {
  route: string;
  controller: string;
  method: string;
  args: readonly unknown[];
  /** Who called. Two callers see different things under one address. */
  as: unknown;
  answer: unknown;
  isRefused: boolean;
}

/** Why an operation counts as real, by route. */
const real = new Map<string, string>();
const mismatches = new Map<string, Set<string>>();

/** Returns the operations that were found to be real so far, each with the reason. */
export function realOperations(): ReadonlyMap<string, string> {
  return real;
}

/** Returns what answers had that the types of the SDK do not allow, by route. */
export function typeMismatches(): ReadonlyMap<string, ReadonlySet<string>> {
  return mismatches;
}

/** Records an effect that a story asserted outside of the API, such as a role on Discord. */
export function effectSeen(route: string, where: string): void {
  if (!real.has(route)) real.set(route, where);
}

/**
 * Watches the calls of one suite. An operation is real once it returned data that is not empty. One that returns none, such as
 * a deletion, is real once a read that was made before and after it, and with no other such call in between, returned
 * something else. The suites assert both, so this holds for a run in which none of them failed.
 */
export function watchCalls(): (call: SdkCall) => void {
  const reads = new Map<string, { outcome: string; at: number }>();
  const silent: { route: string; at: number }[] = [];
  let now = 0;
  return ({ route, args, as, answer, isRefused, ...name }) => {
    now += 1;
    if (!isRefused) noteTypes(route, name, answer);
    if (!isRefused && hasData(answer)) effectSeen(route, 'data');
    if (!route.startsWith('GET ')) {
      if (!isRefused && (answer === undefined || answer === '')) silent.push({ route, at: now });
      return;
    }
    const key = JSON.stringify([route, args, as]);
    const outcome = JSON.stringify(isRefused ? 'refused' : (answer ?? null));
    const before = reads.get(key);
    reads.set(key, { outcome, at: now });
    if (before === undefined || before.outcome === outcome) return;
    const between = silent.filter(({ at }) => at > before.at);
    const [only] = between;
    if (only !== undefined && between.length === 1) effectSeen(only.route, `changes ${route}`);
  };
}

function noteTypes(route: string, { controller, method }: { controller: string; method: string }, answer: unknown) {
  const found = sdkTypes().check(controller, method, answer);
  if (found.length === 0) return;
  const known = mismatches.get(route) ?? new Set<string>();
  for (const one of found) known.add(one);
  mismatches.set(route, known);
}

function hasData(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  if (typeof value !== 'object') return true;
  return Object.values(value).some(hasData);
}
