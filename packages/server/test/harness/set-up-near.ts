import { createNearBlocks } from '@latchkey/chains';
import { indexStep } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { nearCall } from '@latchkey/emulators/near-chain';
import { sampleNearAccounts } from '@latchkey/emulators/sample-world';
import type { Call } from './call-api.ts';
import type { OutsideWorld } from './outside-world.ts';
import type { TestServer } from './test-server.ts';

/** The account of one server on the network that all servers share. */
export interface NearHome {
  account: string;
  /** The block height before anything of this server was on it. */
  startsAfter: number;
  environment: Record<string, string>;
}

/** What was created, minted, offered and indexed on NEAR for alice. */
export interface NearFixture {
  account: string;
  art: string;
  market: string;
  coin: string;
  bridged: string;
  seller: string;
  buyer: string;
  /** A key of a user without an account created by this server. */
  publicKey: string;
  price: { ftContract: string; price: string };
  /** What the index contains. */
  receiptId: string;
  txHash: string;
}

const oneNear = 1_000_000_000_000_000_000_000_000n;
let homes = 0;

export function newNearHome({ near }: Pick<OutsideWorld, 'near'>): NearHome {
  homes += 1;
  // Short, since a bridged token is prefixed with the 40 digits of its contract on Ethereum.
  const account = `lk${homes}.testnet`;
  const startsAfter = near.final.height;
  const { secretKey } = near.createAccount(account, 1_000_000n * oneNear);
  return {
    account,
    startsAfter,
    environment: {
      LATCHKEY_NEAR_NETWORK: near.chainId,
      LATCHKEY_NEAR_INDEX: near.chainId,
      LATCHKEY_NEAR_ACCOUNT: account,
      LATCHKEY_NEAR_PRIVATE_KEY: secretKey,
      LATCHKEY_NEAR_TOKEN_CODE: sampleNearAccounts.tokenCode,
      LATCHKEY_NEAR_MARKET_CODE: sampleNearAccounts.marketCode,
      LATCHKEY_NEAR_SPEND_PER_DAY: '100000',
      LATCHKEY_NEAR_SPEND_PER_CALLER: '100000',
    },
  };
}

/** One token is offered at a price, one by auction, and one is not for sale. */
export const nearTokens = { sold: '1', auctioned: '2', kept: '3' } as const;

export const tokenContractBody = { name: 'Art', contractId: 'art', tokenOptions: [{ type: 'print', cap: '1000' }] };
export const mintBody = (id: string) => ({ id, type: 'print', name: 'One' });

export async function setUpNear(
  server: TestServer,
  { near }: OutsideWorld,
  { account, startsAfter }: NearHome,
  call: Call,
): Promise<NearFixture> {
  const people = makePeople(near, account);
  const { seller, buyer } = people;
  const [art, market] = [`art.${account}`, `market.${account}`];
  await call('POST', '/near-nft/token-contracts', tokenContractBody);
  await call('POST', '/near-nft/market-contracts', { contractId: 'market' });
  for (const id of Object.values(nearTokens))
    await call('POST', `/near-nft/token-contracts/${art}?receiverId=${seller}`, mintBody(id));
  const price = { ftContract: 'near', price: String(oneNear) };
  const offer = { marketContract: market, tokenContract: art };
  const sell = { ...offer, seller, prices: [price] };
  const act = actFor(near, call);
  await act('/near-nft/market-contracts/sell', { ...sell, tokenId: nearTokens.sold });
  await act('/near-nft/market-contracts/sell', { ...sell, tokenId: nearTokens.auctioned, isAuction: true });
  await act('/near-nft/market-contracts/buy', { ...offer, tokenId: nearTokens.auctioned, buyer, price });
  near.makeBlocks(5);
  const seen = await readIndex(server, near, startsAfter, art);
  return { account, art, market, price, ...people, ...seen };
}

/** A seller, and a buyer who also has coins and bridged coins. */
function makePeople(near: OutsideWorld['near'], account: string) {
  const [seller, buyer, coin, factory] = ['seller', 'buyer', 'coin', 'factory'].map((name) => `${name}.${account}`);
  if (seller === undefined || buyer === undefined || coin === undefined || factory === undefined)
    throw new Error('A sample account has no name.');
  const bridged = `${'ab'.repeat(20)}.${factory}`;
  for (const id of [buyer, coin, factory, bridged]) near.createAccount(id, 1_000n * oneNear);
  const { publicKey } = near.createAccount(seller, 1_000n * oneNear);
  const metadata = { spec: 'ft-1.0.0', name: 'Coin', symbol: 'COIN', decimals: 6 };
  near.deploy(coin, 'nep141', { owner_id: buyer, total_supply: '1000000', metadata });
  near.deploy(factory, 'bridge-factory');
  near.deploy(bridged, 'bridge-token', { owner_id: buyer, total_supply: '1000000', metadata });
  return { seller, buyer, coin, bridged, publicKey };
}

interface RequestedAction {
  method: string;
  args: Record<string, unknown>;
  teraGas: number;
  yocto: string;
}

/** Requests what to sign, and executes it on the chain as if a wallet had sent it. */
function actFor(near: OutsideWorld['near'], call: Call) {
  return async (path: string, body: object): Promise<void> => {
    const { toSign } = await call('POST', path, body);
    for (const { signerId, receiverId, actions } of toSign as {
      signerId: string;
      receiverId: string;
      actions: RequestedAction[];
    }[]) {
      const calls = actions.map(({ method, args, teraGas, yocto }) =>
        nearCall(method, args, { deposit: BigInt(yocto), teraGas }),
      );
      const { failure } = near.act(signerId, receiverId, calls);
      if (failure !== undefined) throw new Error(`${path} failed on the chain: ${JSON.stringify(failure)}`);
    }
  };
}

/** Indexes the network from where the server started, and picks what can be requested. */
async function readIndex(server: TestServer, near: OutsideWorld['near'], startsAfter: number, contract: string) {
  const { signal } = new AbortController();
  const network = createNearBlocks({ fetch, network: near.chainId, urls: [near.url], timeoutMs: 180_000, startsAfter });
  while ((await indexStep(server.services, network, signal)) === 'moved');
  const { rows } = await sql<{ receiptId: string; txHash: string }>`
    select receipt_id as "receiptId", hash as "txHash" from near_seen_transactions
    where receiver = ${contract} and receipt_id is not null limit 1`.execute(server.services.db.system);
  if (rows[0] === undefined) throw new Error('The index has seen nothing.');
  return rows[0];
}
