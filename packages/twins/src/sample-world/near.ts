import type { TwinAddress } from '../http-twin/index.ts';
import { type NearChain, startNearChain } from '../near-chain/index.ts';

/** The accounts of the sample network. Their keys follow from the seed, so that every start has the same ones. */
export const sampleNearAccounts = {
  network: 'testnet',
  server: 'latchkey.testnet',
  tokenCode: 'token-code.testnet',
  marketCode: 'market-code.testnet',
  market: 'market.latchkey.testnet',
  people: ['ada.testnet', 'ben.testnet', 'cleo.testnet'],
} as const;

const near = 1_000_000_000_000_000_000_000_000n;

/** A NEAR network with the account of the server, the code of its contracts, a market and a few people. */
export async function startSampleNear(address: TwinAddress = {}): Promise<NearChain> {
  const { network, server, tokenCode, marketCode, market, people } = sampleNearAccounts;
  const chain = await startNearChain({ ...address, seed: 'sample-near', chainId: network });
  chain.createAccount(server, 1_000_000n * near);
  for (const id of [tokenCode, marketCode, market, ...people]) chain.createAccount(id, 1_000n * near);
  chain.deploy(tokenCode, 'nep171');
  chain.deploy(marketCode, 'market');
  chain.deploy(market, 'market', { owner_id: server, ft_token_ids: [], fee_basis_points: 0 });
  return chain;
}
