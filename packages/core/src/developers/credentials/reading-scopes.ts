import { scopes as knownScopes } from '@latchkey/kernel';

/** Scopes that read without being called so. */
const alsoReading = ['community:analytics', 'token-gating'];

const reading = Object.keys(knownScopes).filter((scope) => scope.endsWith(':read') || alsoReading.includes(scope));

/** What of these scopes only reads. Never `$all`, so that nothing which asks for no scope is opened either. */
export function readingScopes(scopes: readonly string[]): string[] {
  return scopes.includes('$all') ? [...reading] : reading.filter((scope) => scopes.includes(scope));
}
