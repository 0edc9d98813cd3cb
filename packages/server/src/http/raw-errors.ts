import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type Log } from '@latchkey/kernel';
import { errorBody } from './errors.ts';

const answered = new WeakSet<Socket>();

/** Remembers on which connections the latest request has its answer already. */
export function noteAnswers(server: Server): void {
  server.prependListener('request', ({ socket }, response) => {
    answered.delete(socket);
    response.once('prefinish', () => answered.add(socket));
  });
}

/** Answers what could not even be read as HTTP, in the same error shape as everything else. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, log: Log): void {
  // The broken rest of a request that was answered by its head gets no second answer, which nobody could tell apart.
  const isOver = answered.has(socket) || socket.destroyed || !socket.writable;
  if (error.code === 'ECONNRESET' || isOver) return void socket.destroy();
  const mapped = mapError(error.code ?? '');
  log.debug('A request could not be read.', { reason: error.code });
  const body = JSON.stringify(errorBody(mapped));
  socket.end(
    `HTTP/1.1 ${mapped.status} ${mapped.code}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function mapError(code: string): AppError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('HEADERS_TOO_LARGE', 'The request line and headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('REQUEST_TIMEOUT', 'The request took too long to arrive.');
  return new AppError('INVALID_BODY', 'The request is not valid HTTP.');
}
