import type { Draft } from './sample-request.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  /** Path and query, as sent. */
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body?: Uint8Array | undefined;
}

export function writeRequest({ operation, method, path, query, headers, body }: Draft): WireRequest {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodePart(path[name] ?? ''));
  const search = query.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join('&');
  const content = body === undefined ? undefined : writeBody(operation.body?.kind ?? 'json', body);
  return {
    method,
    target: search === '' ? filled : `${filled}?${search}`,
    headers: content === undefined ? headers : [['content-type', content.type], ...headers],
    body: content?.bytes,
  };
}

// Unpaired surrogates have no percent-encoding; they are sent as the replacement character.
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

// An object may have a toString that is not a function.
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function writeBody(kind: 'json' | 'form' | 'raw', value: unknown): { type: string; bytes: Buffer } {
  if (kind === 'json') return { type: 'application/json', bytes: Buffer.from(JSON.stringify(value) ?? '') };
  if (kind === 'raw') return { type: 'application/octet-stream', bytes: Buffer.from(String(value)) };
  const type = 'application/x-www-form-urlencoded';
  if (typeof value !== 'object' || value === null) return { type, bytes: Buffer.from(String(value)) };
  const fields = Object.entries(value).map(([name, field]) => [name, textOf(field)]);
  return { type, bytes: Buffer.from(String(new URLSearchParams(fields))) };
}
