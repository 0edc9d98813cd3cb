import type { IncomingMessage } from 'node:http';

/** A client that sends nothing for so long is not waited for: it may have announced more than it sends. */
const patienceMs = 250;

/**
 * Takes in what is left of a request, up to a limit, before it is answered. A connection that is closed with something
 * unread is reset, and the client loses the response that it had not read yet.
 */
export function readOut(request: IncomingMessage, mostBytes: number, done: () => void): void {
  let left = mostBytes;
  const end = () => {
    clearTimeout(silence);
    request.off('data', count).off('end', end).off('close', end).off('error', end);
    done();
  };
  const silence = setTimeout(end, patienceMs);
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    silence.refresh();
    if (left < 0) end();
  };
  request.on('data', count).once('end', end).once('close', end).once('error', end);
}
