import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { concatHex, encodeErrorResult, type Hex, parseAbi, size, toHex } from 'viem';

const abi = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
]);

/** The code of a contract at `address` that answers every call by sending its caller to these URLs (EIP-3668). */
export function offchainLookupContract(address: Hex, urls: readonly string[]): Hex {
  const data = encodeErrorResult({ abi, args: [address, [...urls], '0xabcd', '0xb4a85801', '0x'] });
  // PUSH2 size, DUP1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 0, REVERT, and behind it what it reverts with.
  return concatHex(['0x61', toHex(size(data), { size: 2 }), '0x80600c6000396000fd', data]);
}

export interface Gateway {
  url: string;
  /** Method and path of each request that came in. */
  requests: string[];
  stop(): Promise<void>;
}

/** A gateway as EIP-3668 describes it, on loopback. It answers three times, so that a reader without a limit comes to an end. */
export async function startGateway(): Promise<Gateway> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(requests.length > 3 ? 500 : 200, { 'content-type': 'application/json', connection: 'close' });
    response.end('{"data":"0x00"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has an address.
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
