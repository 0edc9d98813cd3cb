import type { NearTestAccount } from '@latchkey/emulators/near-chain';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import type { Context } from '../../../shared/context.ts';
import { alice, mallory } from '../../../testing/index.ts';
import { addFtTokenIds, mintToken } from '../change-contract.ts';
import { createMarketContract, createTokenContract } from '../create-contract.ts';
import { type NearPlatform, nearPlatform, serverAccount } from '../testing.ts';
import type { NearToSign } from '../to-sign.ts';
import type { TokenSettings } from '../token-records.ts';

export const bob = { ...mallory, userId: 'DIS#USER#200', name: 'bob' } as const;
export const art = `art.${serverAccount}`;
export const market = `market.${serverAccount}`;

export function refusal(code: ErrorCode, sentence = /./) {
  return (error: unknown) => error instanceof AppError && error.code === code && sentence.test(error.message);
}

type Name = 'seller' | 'buyer' | 'rival' | 'artist';

type Verb<Body, Answer> = (ctx: Context, input: { 'x-near-signature'?: string; body: Body }) => Promise<Answer>;

/** A network with a contract of prints and a market that alice created, a coin, and four users. */
export interface TokenWorld extends NearPlatform {
  people: Record<Name, NearTestAccount>;
  balance(name: Name): bigint;
  /** Mints a print for the seller. */
  mint(id: string, more?: TokenSettings): ReturnType<typeof mintToken>;
  /** Sends a request, has the wallet sign, and sends it again with the signature. */
  signed<Body, Answer extends { toSign?: unknown }>(
    verb: Verb<Body, Answer>,
    account: NearTestAccount,
    body: Body,
  ): Promise<Answer & { header: string }>;
}

export async function tokenWorld(seed: string): Promise<TokenWorld> {
  const n = await nearPlatform(seed);
  const { chain } = n;
  const account = (name: Name) => chain.createAccount(`${name}.near`);
  const people = {
    seller: account('seller'),
    buyer: account('buyer'),
    rival: account('rival'),
    artist: account('artist'),
  };
  chain.createAccount('coin.near');
  const metadata = { spec: 'ft-1.0.0', name: 'Coin', symbol: 'COIN', decimals: 6 };
  chain.deploy('coin.near', 'nep141', { owner_id: 'buyer.near', total_supply: '1000000', metadata });
  const tokenOptions = [{ type: 'print', cap: '100' }];
  await createTokenContract(n.as(alice), { body: { name: 'Art', contractId: 'art', tokenOptions } });
  await createMarketContract(n.as(alice), { body: { contractId: 'market', ownerAccount: 'artist.near' } });
  await addFtTokenIds(n.as(alice), { address: market, body: ['coin.near'] });
  return {
    ...n,
    people,
    balance: (name) => chain.balanceOf(`${name}.near`) ?? 0n,
    mint: (id, more = {}) =>
      mintToken(n.as(alice), { address: art, receiverId: 'seller.near', body: { id, type: 'print', ...more } }),
    signed: async (verb, signer, body) => {
      const request = await verb(n.as(alice), { body });
      const header = n.sign(signer, request.toSign as readonly NearToSign[] | undefined);
      return { ...(await verb(n.as(alice), { 'x-near-signature': header, body })), header };
    },
  };
}
