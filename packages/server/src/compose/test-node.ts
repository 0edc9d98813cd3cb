import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { flowAddress, flowPublicKey, nearPublicKey, tonPublicKey } from './test-wallets.ts';

/** A node of NEAR, TON and Flow in one. It knows the keys of wallet 1 of each chain. */
export interface WalletNode {
  /** The configuration of these chains. */
  chainUrls: Map<string, string[]>;
  /** While true, requests get no response. */
  isDown: boolean;
  stop(): Promise<void>;
}

function answer(body: string): unknown {
  if (body === '') {
    const key = {
      index: '0',
      public_key: `0x${flowPublicKey(1)}`,
      signing_algorithm: 'ECDSA_P256',
      hashing_algorithm: 'SHA3_256',
      weight: '1000',
      revoked: false,
    };
    return { address: flowAddress, keys: [key] };
  }
  const { method, params } = JSON.parse(body);
  if (method !== 'query') return { result: { exit_code: 0, stack: [['num', tonPublicKey(1)]] } };
  if (params.request_type === 'view_account') return { result: { amount: '1' } };
  return params.public_key === nearPublicKey(1)
    ? { result: { permission: 'FullAccess', nonce: 1 } }
    : { error: { cause: { name: 'UNKNOWN_ACCESS_KEY' } } };
}

export async function startWalletNode(): Promise<WalletNode> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(node.isDown ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(node.isDown ? {} : answer(Buffer.concat(chunks).toString())));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node: WalletNode = {
    chainUrls: new Map(['near:mainnet', 'ton:mainnet', 'flow:mainnet'].map((name) => [name, [url]])),
    isDown: false,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
  return node;
}
