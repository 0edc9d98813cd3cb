import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, type Log } from '@latchkey/kernel';
import { readableByPages } from './cors.ts';
import { errorBody, routeNotFound } from './errors.ts';

/** The response to the latest request of each connection. */
const latest = new WeakMap<Socket, ServerResponse>();

/** Remembers the latest response of each connection. */
export function noteAnswers(server: Server): void {
  server.prependListener('request', ({ socket }, response) => latest.set(socket, response));
}

/** Answers CONNECT, which Node would otherwise close without a response. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request, socket) => {
    // A client that requests a tunnel may hang up before the response.
    socket.on('error', () => socket.destroy());
    writeError(socket, routeNotFound());
  });
}

/** A parse error of a request. */
interface BrokenRequest extends NodeJS.ErrnoException {
  /** The bytes that could not be parsed. */
  rawPacket?: unknown;
}

/** Answers requests that are not valid HTTP with the API's error shape. */
export function answerBrokenRequest(error: BrokenRequest, socket: Socket, log: Log): void {
  // The malformed rest of a request that already has a response gets no second one, which the client could not tell
  // apart.
  const isOver = latest.get(socket)?.writableEnded === true || socket.destroyed || !socket.writable;
  if (error.code === 'ECONNRESET' || isOver) return void socket.destroy();
  log.debug('A request could not be parsed.', { reason: error.code });
  writeError(socket, mapError(error));
}

function writeError(socket: Duplex, error: AppError): void {
  const body = JSON.stringify(errorBody(error));
  const headers = {
    ...readableByPages,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${error.code}\r\n${lines.join('')}\r\n${body}`);
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} \S+ HTTP\/1\.[01]\r?\n/;

function mapError({ code, rawPacket }: BrokenRequest): AppError {
  // Well-formed, but with an unknown method (RFC 9110 9.1).
  const isReadable = Buffer.isBuffer(rawPacket) && requestLine.test(rawPacket.toString('latin1'));
  if (code === 'HPE_INVALID_METHOD' && isReadable) return routeNotFound();
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('HEADERS_TOO_LARGE', 'The request line and headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('REQUEST_TIMEOUT', 'The request took too long to arrive.');
  return new AppError('INVALID_BODY', 'The request is not valid HTTP.');
}
