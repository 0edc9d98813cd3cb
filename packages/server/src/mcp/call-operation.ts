import { AppError, type Operation, placeOf } from '@latchkey/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface OperationAnswer {
  status: number;
  location: string | undefined;
  body: Buffer;
}

/** Calls an operation with parameters by name, and its body under `body`. */
export type OperationCaller = (
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
) => Promise<OperationAnswer>;

/** Headers that identify the caller and their origin. The console's cookie is not included: it counts on pages only. */
const carriedHeaders = ['authorization', 'host', 'origin', 'referer', 'user-agent', 'x-api-key', 'x-forwarded-for'];

/**
 * Calls operations for the sender of a request, through the normal pipeline: their credential is verified, their calls are
 * rate-limited, their scopes and access checked and their actions audited as if they had called it directly.
 */
export function callAs(request: FastifyRequest, fastify: FastifyInstance): OperationCaller {
  const headers = { ...pick(request.headers, carriedHeaders), 'x-request-id': request.id };
  return async (operation, input) => {
    const { url, headers: own } = writeCall(operation, input);
    const { remoteAddress } = request.raw.socket;
    const response = await fastify.inject({
      method: operation.method,
      url,
      headers: { ...own, ...headers },
      ...(remoteAddress !== undefined && { remoteAddress }),
      ...(operation.body !== undefined && input.body !== undefined && { payload: JSON.stringify(input.body) }),
    });
    const { location } = response.headers;
    return { status: response.statusCode, location, body: response.rawPayload };
  };
}

/** Builds the URL, headers and body of a call. */
export function writeCall(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): { url: string; headers: Record<string, string> } {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let path = operation.path;
  for (const [name, schema] of Object.entries(operation.params)) {
    const values = [input[name] ?? []].flat().map(String);
    const [value] = values;
    if (value === undefined) continue;
    const place = placeOf(operation, name, schema);
    if (place === 'path') path = path.replace(`{${name}}`, () => segmentOf(name, value));
    else if (place === 'header') headers[name.toLowerCase()] = headerOf(name, value);
    else for (const item of values) query.append(name, item);
  }
  const missing = /\{(\w+)\}/.exec(path)?.[1];
  if (missing !== undefined) throw new AppError('MISSING_REQUIRED_PARAMETER', `The parameter ${missing} is required.`);
  if (operation.body !== undefined) headers['content-type'] = 'application/json';
  const key = input.idempotencyKey;
  if (key !== undefined) headers['idempotency-key'] = headerOf('idempotencyKey', String(key));
  return { url: query.size === 0 ? path : `${path}?${query}`, headers };
}

// A segment of dots would change the path.
function segmentOf(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new AppError('INVALID_PARAMETER_VALUE', `The parameter ${name} is malformed.`);
  return encodeURIComponent(value.toWellFormed());
}

function headerOf(name: string, value: string): string {
  if (!/^[\x20-\x7e]*$/.test(value))
    throw new AppError('INVALID_PARAMETER_VALUE', `The parameter ${name} is malformed.`);
  return value;
}

function pick(headers: FastifyRequest['headers'], names: readonly string[]): Record<string, string | string[]> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
