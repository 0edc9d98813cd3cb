import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, type Log } from '@latchkey/kernel';
import type { AllowedMethods } from './allowed-methods.ts';
import { readableByPages } from './cors.ts';
import { errorBody, methodNotAllowed, routeNotFound } from './errors.ts';

/** The response to the latest request of each connection. */
const latest = new WeakMap<Socket, ServerResponse>();

/** Remembers the latest response of each connection. */
export function noteAnswers(server: Server): void {
  server.prependListener('request', ({ socket }, response) => latest.set(socket, response));
}

/** The dependencies of responses to requests that never became one. */
export interface RawErrorOptions {
  log: Log;
  allowedMethodsOf: AllowedMethods;
  /** The headers of every response. */
  headers: Readonly<Record<string, string>>;
  newRequestId(): string;
}

/** Answers CONNECT, which Node would otherwise close without a response. */
export function refuseTunnels(server: Server, options: RawErrorOptions): void {
  server.on('connect', (_request, socket) => {
    // A client that requests a tunnel may hang up before the response.
    socket.on('error', () => socket.destroy());
    writeRawError(socket, { error: routeNotFound() }, options);
  });
}

/** A parse error of a request. */
interface BrokenRequest extends NodeJS.ErrnoException {
  /** The bytes that could not be parsed. */
  rawPacket?: unknown;
}

/** Answers requests that are not valid HTTP with the API's error shape. */
export function answerBrokenRequest(error: BrokenRequest, socket: Socket, options: RawErrorOptions): void {
  // The malformed rest of a request that already has a response gets no second one, which the client could not tell
  // apart.
  const isOver = latest.get(socket)?.writableEnded === true || socket.destroyed || !socket.writable;
  if (error.code === 'ECONNRESET' || isOver) return void socket.destroy();
  const requestId = writeRawError(socket, refusalOf(error, options.allowedMethodsOf), options);
  options.log.debug('A request could not be parsed.', { reason: error.code, requestId });
}

interface Refusal {
  error: AppError;
  allow?: readonly string[];
}

/** Returns the id that the response has. */
function writeRawError(socket: Duplex, { error, allow }: Refusal, options: RawErrorOptions): string {
  const body = JSON.stringify(errorBody(error));
  const requestId = options.newRequestId();
  const headers = {
    ...options.headers,
    ...readableByPages,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...(allow !== undefined && { allow: allow.join(', ') }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
  return requestId;
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} (\S+) HTTP\/1\.[01]\r?\n/;

function refusalOf({ code, rawPacket }: BrokenRequest, allowedMethodsOf: AllowedMethods): Refusal {
  // Well-formed, but with an unknown method (RFC 9110 9.1).
  const target = Buffer.isBuffer(rawPacket) ? requestLine.exec(rawPacket.toString('latin1'))?.[1] : undefined;
  if (code === 'HPE_INVALID_METHOD' && target !== undefined) {
    const allow = allowedMethodsOf(target);
    return allow.length === 0 ? { error: routeNotFound() } : { error: methodNotAllowed(allow), allow };
  }
  if (code === 'HPE_HEADER_OVERFLOW')
    return { error: new AppError('HEADERS_TOO_LARGE', 'The request line and headers are too large.') };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { error: new AppError('REQUEST_TIMEOUT', 'The request took too long to arrive.') };
  return { error: new AppError('INVALID_BODY', 'The request is not valid HTTP.') };
}
