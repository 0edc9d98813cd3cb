import type { PlatformName } from '../../ports/index.ts';

/** Reddit knows one address to come back to for each application, and logging in has it. This tells the two apart. */
const mark = 'consent-';
const page = '/console/communities/new?platform=reddit';

export function markState(state: string): string {
  return `${mark}${state}`;
}

/**
 * The page of the console that goes on with a consent; undefined for a login. It may be led to by anybody: only the
 * session of whoever began can use what came back.
 */
export function consentPage(
  way: PlatformName,
  { state, code }: { state: string; code: string | undefined },
): string | undefined {
  if (way !== 'reddit' || !state.startsWith(mark)) return undefined;
  const returned = new URLSearchParams({ state: state.slice(mark.length), ...(code !== undefined && { code }) });
  return `${page}&${returned}`;
}
