import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { keepConnections } from '../http/keep-connections.ts';
import { refuseForeignHosts } from '../http/refuse-foreign-hosts.ts';

export interface EmulatorRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined if there was none, or it was not JSON. */
  body: unknown;
  /** The body as text. */
  text: string;
}

export interface EmulatorReply {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent unchanged. */
  body: unknown;
}

/** How an emulator misbehaves: refuses, never responds, breaks off, sends invalid JSON, or alters the true response. */
export type EmulatorFault =
  | { kind: 'status'; status: number; headers?: Readonly<Record<string, string>>; body?: unknown }
  | { kind: 'hang' }
  | { kind: 'cut' }
  | { kind: 'malformed' }
  | { kind: 'lie'; change: (body: unknown, request: EmulatorRequest) => unknown };

export interface EmulatorAddress {
  /** 0 picks a free port. */
  port?: number;
  host?: string;
}

type Answer = () => EmulatorReply | Promise<EmulatorReply>;

interface StartOptions extends EmulatorAddress {
  /** For protocols that need more than requests and replies. */
  attach?: (server: Server) => void;
}

export interface HttpEmulator {
  url: string;
  /** Every request so far, in order. */
  requests: EmulatorRequest[];
  /** The next `count` requests get this fault; without a count all do, until `behave`. */
  misbehave(fault: EmulatorFault, count?: number): void;
  behave(): void;
  stop(): Promise<void>;
}

/** Serves a service's protocol over HTTP, and simulates its faults on command. */
export async function startHttpEmulator(
  answer: (request: EmulatorRequest) => EmulatorReply | Promise<EmulatorReply>,
  { port = 0, host = '127.0.0.1', attach }: StartOptions = {},
): Promise<HttpEmulator> {
  const faults: { fault: EmulatorFault; left: number }[] = [];
  const requests: EmulatorRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    await reply(response, request, () => answer(request), takeFault(faults));
  });
  keepConnections(server);
  attach?.(server);
  refuseForeignHosts(server);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${addressOf(server)}`,
    requests,
    misbehave: (fault, count = Number.POSITIVE_INFINITY) => void faults.push({ fault, left: count }),
    behave: () => void faults.splice(0),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function takeFault(faults: { fault: EmulatorFault; left: number }[]): EmulatorFault | undefined {
  const [next] = faults;
  if (next === undefined) return undefined;
  next.left -= 1;
  if (next.left <= 0) faults.shift();
  return next.fault;
}

async function readRequest(incoming: IncomingMessage): Promise<EmulatorRequest> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://emulator');
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  const sent = await text(incoming);
  return {
    method: incoming.method ?? 'GET',
    path: pathname.split('/').map(decodeURIComponent).join('/'),
    query: searchParams,
    headers: Object.fromEntries(headers),
    body: parseJson(sent),
    text: sent,
  };
}

function parseJson(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return undefined;
  }
}

async function reply(
  response: ServerResponse,
  request: EmulatorRequest,
  answer: Answer,
  fault?: EmulatorFault,
): Promise<void> {
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'cut') {
    response.destroy();
    return;
  }
  send(response, fault === undefined ? await answer() : await spoil(fault, answer, request));
}

async function spoil(fault: EmulatorFault, answer: Answer, request: EmulatorRequest): Promise<EmulatorReply> {
  if (fault.kind === 'status') return { body: { error: 'The emulator was told to fail.' }, ...fault };
  const { body, ...rest } = await answer();
  if (fault.kind === 'lie') return { ...rest, body: fault.change(structuredClone(body), request) };
  return { ...rest, body: `${JSON.stringify(body).slice(0, -1)}<` };
}

function send(response: ServerResponse, { status = 200, headers, body }: EmulatorReply): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}
