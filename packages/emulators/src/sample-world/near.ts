import type { EmulatorAddress } from '../http-emulator/index.ts';
import { type NearChain, nearCall, startNearChain } from '../near-chain/index.ts';

/** The accounts of the sample network. Their keys follow from the seed, so that every start has the same ones. */
export const sampleNearAccounts = {
  network: 'testnet',
  server: 'latchkey.testnet',
  tokenCode: 'token-code.testnet',
  marketCode: 'market-code.testnet',
  market: 'market.latchkey.testnet',
  art: 'art.latchkey.testnet',
  coin: 'coin.latchkey.testnet',
  people: ['ada.testnet', 'ben.testnet', 'cleo.testnet'],
} as const;

const near = 1_000_000_000_000_000_000_000_000n;

/** A NEAR network with the account of the server, the code of its contracts, a market, and a few people with tokens. */
export async function startSampleNear(address: EmulatorAddress = {}): Promise<NearChain> {
  const { network, server, tokenCode, marketCode, market, art, coin, people } = sampleNearAccounts;
  const chain = await startNearChain({ ...address, seed: 'sample-near', chainId: network });
  chain.createAccount(server, 1_000_000n * near);
  for (const id of [tokenCode, marketCode, market, art, coin, ...people]) chain.createAccount(id, 1_000n * near);
  chain.deploy(tokenCode, 'nep171');
  chain.deploy(marketCode, 'market');
  chain.deploy(market, 'market', { owner_id: server, ft_token_ids: [], fee_basis_points: 0 });
  giveOutTokens(chain);
  return chain;
}

/** Something has happened before anybody looks: mints, a sale and a payment, which the index of a server can show. */
function giveOutTokens(chain: NearChain): void {
  const { server, market, art, coin, people } = sampleNearAccounts;
  const [ada, ben] = people;
  const act = (who: string, contract: string, method: string, args: Record<string, unknown>, deposit = 1n) => {
    const { failure } = chain.act(who, contract, [nearCall(method, args, { deposit, teraGas: 150 })]);
    if (failure !== undefined) throw new Error(`${method} failed on the sample network: ${JSON.stringify(failure)}`);
  };
  chain.deploy(art, 'nep171', { owner_id: server, metadata: { spec: 'nft-1.0.0', name: 'Prints', symbol: 'PRINT' } });
  const metadata = { spec: 'ft-1.0.0', name: 'Sample Coin', symbol: 'COIN', decimals: 6 };
  chain.deploy(coin, 'nep141', { owner_id: ada, total_supply: '1000000000', metadata });
  for (const [index, receiver_id] of people.entries()) {
    const token = { token_id: String(index + 1), receiver_id, metadata: { title: `Print ${index + 1}` } };
    act(server, art, 'nft_mint', token, near / 50n);
  }
  const msg = JSON.stringify({ sale_conditions: { near: String(near) }, is_auction: false });
  act(ada, market, 'storage_deposit', {}, near / 20n);
  act(ada, art, 'nft_approve', { token_id: '1', account_id: market, msg }, near / 1000n);
  act(ben, market, 'offer', { nft_contract_id: art, token_id: '1' }, near);
  act(ada, coin, 'storage_deposit', { account_id: ben }, near / 100n);
  act(ada, coin, 'ft_transfer', { receiver_id: ben, amount: '2500000' });
}
