import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { concatHex, encodeErrorResult, type Hex, pad, parseAbi, size, toHex } from 'viem';

const abi = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
]);

const callback: Hex = '0xb4a85801';
const neverCalled: Hex = '0xffffffff';

/**
 * Returns the code of a contract at `address` that redirects every caller to these URLs (EIP-3668). It returns `answer`, a word, when it is
 * called back with a gateway's response; without one it redirects the caller again.
 */
export function offchainLookupContract(address: Hex, urls: readonly string[], answer?: Hex): Hex {
  const data = encodeErrorResult({ abi, args: [address, [...urls], '0xabcd', callback, '0x'] });
  return concatHex([
    // If the selector is that of the callback, jump to 29.
    ...(['0x60003560e01c63', answer === undefined ? neverCalled : callback, '0x1461001d57'] as const),
    // Copies the bytes after the code, from 71 on, and reverts with them.
    ...(['0x61', toHex(size(data), { size: 2 }), '0x8061004760003960', '0x00fd'] as const),
    // 29: returns the answer.
    ...(['0x5b7f', pad(answer ?? '0x'), '0x60005260206000f3'] as const),
    data,
  ]);
}

export interface Gateway {
  url: string;
  /** Method and path of each request received. */
  requests: string[];
  stop(): Promise<void>;
}

/** Starts a gateway as EIP-3668 describes it, on loopback. It responds three times, so that a reader without a limit terminates. */
export async function startGateway(): Promise<Gateway> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(requests.length > 3 ? 500 : 200, { 'content-type': 'application/json', connection: 'close' });
    response.end('{"data":"0x00"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server listening on a port has an AddressInfo.
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
