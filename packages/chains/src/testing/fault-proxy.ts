import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../vectors/mutate.ts';
import { requestNumberHeader } from './idle-timers.ts';

/**
 * `fail` responds with 500, `drop` breaks the connection, `hang` never responds, `refuse` returns an error, `garble` returns garbage,
 * `zero` returns zero for everything, `zero-balances` only for what contracts return about accounts, `wrong-chain` claims another chain,
 * `refuse-all-contracts` and `fail-all-contracts` refuse or fail to return logs without an address filter, `stale` responds as if the last
 * blocks did not exist, `slow` returns correct responses after seconds.
 */
export type RpcFault =
  | 'fail'
  | 'drop'
  | 'hang'
  | 'refuse'
  | 'garble'
  | 'zero'
  | 'zero-balances'
  | 'wrong-chain'
  | 'refuse-all-contracts'
  | 'fail-all-contracts'
  | 'stale'
  | 'slow';

export interface FaultProxy {
  url: string;
  /** Every requested method, in order. */
  requests: string[];
  /** How often each fault occurred. */
  struck: Map<RpcFault, number>;
  /** The numbers of the requests that never get a response. */
  unanswered: Set<string>;
  /** From now on, this share of requests gets one of these faults. */
  misbehave(faults: readonly RpcFault[], share?: number): void;
  behave(): void;
  stop(): Promise<void>;
}

interface RpcBody {
  id: number;
  method: string;
  params: unknown[];
  result?: unknown;
}

const staleBlocks = 40n;
const slowMs = 3_000;

/** Starts a proxy in front of an EVM node, over real HTTP, that misbehaves on command, reproducibly for the same seed. */
export async function startFaultProxy(target: string, seed = 'faults'): Promise<FaultProxy> {
  const random = seededRandom(seed);
  const requests: string[] = [];
  const struck = new Map<RpcFault, number>();
  const unanswered = new Set<string>();
  let faults: readonly RpcFault[] = [];
  let share = 1;
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const request: RpcBody = JSON.parse(await text(incoming));
    requests.push(request.method);
    const isFaulty = faults.length > 0 && random.below(1_000) < share * 1_000;
    const fault = isFaulty ? random.pick(faults) : undefined;
    if (fault === 'hang') unanswered.add(String(incoming.headers[requestNumberHeader]));
    if (fault) struck.set(fault, (struck.get(fault) ?? 0) + 1);
    await answer(target, request, fault, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server listening on a port has an AddressInfo.
  return {
    url: `http://127.0.0.1:${port}/very-secret-key`,
    requests: requests,
    struck,
    unanswered,
    misbehave: (wanted, part = 1) => {
      faults = wanted;
      share = part;
    },
    behave: () => {
      faults = [];
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(target: string, request: RpcBody, fault: RpcFault | undefined, response: ServerResponse) {
  if (fault === 'hang') return;
  if (fault === 'slow') await delay(slowMs, undefined, { ref: false });
  if (fault === 'drop') return void response.destroy();
  const isAboutAll = request.method === 'eth_getLogs' && Object(request.params[0]).address === undefined;
  if (fault === 'fail' || (fault === 'fail-all-contracts' && isAboutAll))
    return void response.writeHead(500).end('oops');
  if (fault === 'garble') return void response.end('{"jsonrpc":"2.0","id":1,"result":["0x"');
  const error = { code: -32000, message: 'not today' };
  if (fault === 'refuse' || (fault === 'refuse-all-contracts' && isAboutAll))
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, error }));
  const requested = fault === 'stale' ? await turnBack(target, request) : request;
  const reply = await forward(target, requested);
  response.end(JSON.stringify({ ...reply, ...changed(fault, request, reply) }));
}

async function forward(target: string, request: RpcBody): Promise<RpcBody> {
  const body = JSON.stringify(request);
  const response = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return Object(await response.json());
}

/** Rewrites the request to a block some way below the newest one. */
async function turnBack(target: string, request: RpcBody): Promise<RpcBody> {
  const place = { eth_getBlockByNumber: 0, eth_call: 1, eth_getBalance: 1, eth_getCode: 1 }[request.method];
  if (place === undefined) return request;
  const { result } = await forward(target, { ...request, method: 'eth_blockNumber', params: [] });
  const newest = BigInt(String(result));
  const back = newest > staleBlocks ? newest - staleBlocks : 0n;
  return { ...request, params: request.params.toSpliced(place, 1, `0x${back.toString(16)}`) };
}

function changed(fault: RpcFault | undefined, { method, params }: RpcBody, { result }: RpcBody): object {
  if (fault === 'wrong-chain') return method === 'eth_chainId' ? { result: '0x1' } : {};
  if (fault === 'zero' || fault === 'zero-balances') {
    if (method === 'eth_getLogs') return { result: [] };
    if (method === 'eth_getBalance') return { result: '0x0' };
    if (method === 'eth_call' && typeof result === 'string') {
      if (fault === 'zero') return { result: `0x${result.slice(2).replace(/[1-9a-f]/g, '0')}` };
      return { result: params.length === 3 ? zeroPacked(result) : zeroBalances(result) };
    }
  }
  return {};
}

/** Returns an aggregate3 response with each number zeroed, except for the chain and block. */
function zeroBalances(answer: string): string {
  const words = answer.slice(2).match(/.{64}/g) ?? [];
  const numberAt = (place: number) => Number.parseInt((words[place] ?? '').slice(-12), 16);
  const count = numberAt(1);
  for (let index = 3; index < count; index += 1) {
    const at = 2 + numberAt(2 + index) / 32;
    if (numberAt(at + 2) === 32) words[at + 3] = '0'.repeat(64);
  }
  return `0x${words.join('')}`;
}

/** Does the same for the response of the reader's own code, for which the lengths suffice. */
function zeroPacked(answer: string): string {
  let digits = answer.slice(0, 194);
  for (let at = 194; at < answer.length; ) {
    const length = 2 * (Number.parseInt(answer.slice(at, at + 4), 16) & 0x7fff);
    digits += answer.slice(at, at + 4) + '0'.repeat(length);
    at += 4 + length;
  }
  return digits;
}
