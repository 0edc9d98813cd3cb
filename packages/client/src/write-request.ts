import { formRoutes } from './operations.ts';

export type Input = Readonly<Record<string, unknown>>;

/** The address of a call, its parameters in place. */
export function writeUrl(baseUrl: string, route: string, { body: _body, headers: _headers, ...params }: Input): URL {
  const template = route.slice(route.indexOf(' ') + 1);
  const inPath = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    inPath.add(name);
    return writeSegment(route, name, params[name]);
  });
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  for (const [name, value] of Object.entries(params)) {
    if (inPath.has(name) || value === undefined) continue;
    for (const item of [value].flat()) url.searchParams.append(name, String(item));
  }
  return url;
}

/** An empty segment, `.` and `..` would make the address of another operation. */
function writeSegment(route: string, name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`${route} needs a value for "${name}", and got ${JSON.stringify(value)}.`);
  return encodeURIComponent(text);
}

export function writeBody(route: string, body: unknown): { body?: NonNullable<RequestInit['body']>; type?: string } {
  if (body === undefined) return {};
  if (formRoutes.includes(route) && isFields(body)) return { body: writeForm(body) };
  // Bytes that carry a signature must arrive as they are.
  if (body instanceof Uint8Array) return { body: new Uint8Array(body), type: 'application/json' };
  return { body: JSON.stringify(body), type: 'application/json' };
}

function isFields(body: unknown): body is Input {
  return typeof body === 'object' && body !== null;
}

/** `fetch` gives it its content type. */
function writeForm(fields: Input): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value));
  return form;
}
