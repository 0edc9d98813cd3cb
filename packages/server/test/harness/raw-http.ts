import { connect } from 'node:net';
import type { WireRequest } from './write-request.ts';

export interface RawAnswer {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: Buffer;
  ms: number;
}

/** Far longer than a slow machine takes: a request without a response by then hangs. */
const patienceMs = 3 * 60_000;

/**
 * Sends exactly these bytes on its own connection: ordinary clients refuse to send much of what an attacker would.
 * Rejects if the connection hangs or ends without a response.
 */
export function sendRaw(url: string, request: WireRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    let failure: Error | undefined;
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isEndless(Buffer.concat(chunks.slice(0, 4)).toString('latin1'))) socket.destroy();
    });
    // A server may respond and close before it has read everything: only the response counts.
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('close', () => {
      clearTimeout(timer);
      const answer = parse(Buffer.concat(chunks), performance.now() - startedAt);
      if (answer === undefined) reject(failure ?? new Error('the connection ended without an answer'));
      else resolve(answer);
    });
    socket.write(headOf(request, `${hostname}:${port}`));
    socket.write(bodyOf(request));
  });
}

function headOf({ method, target, headers, body }: WireRequest, host: string): string {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(names.has('host') ? [] : [`host: ${host}`]),
    ...(names.has('content-length') || names.has('transfer-encoding') || body === undefined
      ? []
      : [`content-length: ${body.byteLength}`]),
    ...headers.filter(([, value]) => value !== omitted).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A body that claims to be chunked gets an end, so that the server does not wait for more of it. */
function bodyOf({ headers, body = Buffer.alloc(0) }: WireRequest): Uint8Array {
  if (!headers.some(([name]) => name.toLowerCase() === 'transfer-encoding')) return body;
  return Buffer.concat([body.byteLength > 0 ? body : Buffer.from('0'), Buffer.from('\r\n\r\n')]);
}

/** Event streams have no end: their beginning is the response. */
function isEndless(answer: string): boolean {
  return /\r\ncontent-type: text\/event-stream\b.*\r\n\r\n[\da-f]+\r\n.*\n\n/is.test(answer);
}

/** As the value of a header: omits it, even if it would be sent by default. */
export const omitted = '\u0000omitted';

function parse(bytes: Buffer, ms: number): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const rest = bytes.subarray(end + 4);
  if (status >= 100 && status < 200) return parse(rest, ms);
  const headers = new Map(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
    }),
  );
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  return { status, headers, body: isChunked ? joinChunks(rest) : rest, ms };
}

function joinChunks(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n');
  const length = Number.parseInt(bytes.subarray(0, end).toString('latin1'), 16);
  if (!(length > 0)) return Buffer.alloc(0);
  const chunk = bytes.subarray(end + 2, end + 2 + length);
  return Buffer.concat([chunk, joinChunks(bytes.subarray(end + 4 + length))]);
}
