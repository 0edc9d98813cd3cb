import type { Examples } from '@latchkey/server/examples';

/** Calls that a test made and kept, by method and path. */
export type Recorded = Readonly<Examples>;

/** A call as a page shows it. */
export interface Example {
  request: string;
  response: string;
}

/** Writes a call down the way it goes over the wire, without what every call has. */
export function showExample(method: string, { request, response }: Examples[string]): Example {
  const query = new URLSearchParams(request.query);
  const target = query.size === 0 ? request.path : `${request.path}?${query}`;
  const { status, type, location, body } = response;
  return {
    request: join(`${method} ${target}`, ...linesOf(request.headers), bodyText(request.body)),
    response: join(
      String(status),
      ...linesOf({ ...(type && { 'content-type': type }), ...(location && { location }) }),
      bodyText(body),
    ),
  };
}

function linesOf(headers: Record<string, string> = {}): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function bodyText(body: unknown): string {
  if (body === undefined) return '';
  return `\n${typeof body === 'string' ? body : JSON.stringify(body, undefined, 2)}`;
}

function join(...lines: string[]): string {
  return lines.filter((line) => line !== '').join('\n');
}
