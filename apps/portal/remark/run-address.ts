import { firstRequestOf } from '../samples/translate-curl.ts';
import { readOperationPaths } from './link-operations.ts';

/** A POST that changes nothing. */
const readingPost = 'POST /access-control/check-roles';

let known: ReadonlyMap<string, string> | undefined;

/**
 * Where the reference runs the request that a sample begins with, with its console open. Only what reads is run from a guide,
 * and nothing is sent before the reader presses the button there.
 */
export function runAddressOf(sample: string): string | undefined {
  const request = firstRequestOf(sample);
  if (request === undefined) return undefined;
  known ??= readOperationPaths();
  const fitting = [...known.keys()]
    .filter((route) => fits(route, `${request.method} ${request.path}`))
    // A path that is written out goes before a pattern that it fits as well.
    .sort((one, other) => one.split('{').length - other.split('{').length);
  const [route] = fitting;
  if (route === undefined || (request.method !== 'GET' && route !== readingPost)) return undefined;
  const [page, anchor = ''] = known.get(route)?.split('#') ?? [];
  return `${page}?try=${anchor.slice(anchor.lastIndexOf('/') + 1)}#${anchor}`;
}

function fits(pattern: string, request: string): boolean {
  const [wanted, given] = [pattern.split('/'), request.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part === given[index] || (part.startsWith('{') && given[index] !== ''))
  );
}
