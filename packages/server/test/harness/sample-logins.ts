import { privateKeyToAccount } from 'viem/accounts';
import type { Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

// The first account of the well-known test mnemonic, which is public.
export const signer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

interface SignedChallenge {
  requestId: string;
  signature: string;
}

async function signOne(server: TestServer): Promise<SignedChallenge> {
  const { json } = await server.request('POST', '/ethereum-login/challenges', {
    json: { accountId: `evm:1:${signer.address}` },
  });
  return { requestId: json.requestId, signature: await signer.signMessage({ message: json.message }) };
}

/** Signed challenges that each sign in once. A request takes the id of the next one, and then its signature. */
export async function sampleLogins(server: TestServer, count: number): Promise<Samples> {
  const signed = await Promise.all(Array.from({ length: count }, () => signOne(server)));
  let taken = -1;
  const at = () => signed[taken % signed.length]?.signature ?? '';
  return {
    'POST /ethereum-login/id-tokens requestId': () => {
      taken += 1;
      return signed[taken % signed.length]?.requestId ?? '';
    },
    'POST /ethereum-login/id-tokens signature': at,
    'POST /ethereum-login/id-tokens accountId': `evm:1:${signer.address}`,
  };
}
