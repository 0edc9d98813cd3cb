import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { Marketplace } from '../../ports/index.ts';
import { readAccountId, refusedField } from './read-claim.ts';

const marketplace = text('The marketplace, for example opensea.', { minLength: 1, maxLength: 64 });
const account = text('The account on it: an address, or an account id.', { minLength: 1, maxLength: 200 });

export const MarketplaceMagicCodeRequest = record(
  'MarketplaceMagicCodeRequest',
  'An account to prove by its profile.',
  {
    marketplace,
    account,
    id: text('An AE token of the user.', { minLength: 1, maxLength: 8192 }),
  },
);
export type MarketplaceMagicCodeRequest = ValueOf<typeof MarketplaceMagicCodeRequest>;

export const MarketplaceMagicCodeResponse = record('MarketplaceMagicCodeResponse', 'What the profile is to show.', {
  magicCode: T.Optional(text('The code, to be put into the description of the profile as it is.', { maxLength: 64 })),
  expiresAt: T.Optional(text('Until when it works, in ISO 8601.', { maxLength: 64 })),
});
export type MarketplaceMagicCodeResponse = ValueOf<typeof MarketplaceMagicCodeResponse>;

export const MarketplaceWalletRequest = record('MarketplaceWalletRequest', 'An account and how it is proven.', {
  marketplace,
  account,
  id: T.Optional(text('An AE token of the user; needed with `proof`.', { maxLength: 8192 })),
  magicCode: T.Optional(text('The code that the profile shows.', { maxLength: 64 })),
  proof: T.Optional(text('A signature of the account instead of a code.', { maxLength: 65_536 })),
});
export type MarketplaceWalletRequest = ValueOf<typeof MarketplaceWalletRequest>;

export interface MarketAccount {
  name: string;
  market: Marketplace;
  /** In the one spelling of EVM chains. */
  address: string;
}

/** The marketplace and the account a request names. Accounts of marketplaces are Ethereum accounts. */
export function readMarketAccount(
  ctx: Pick<Context, 'marketplaces' | 'wallets'>,
  body: { marketplace: string; account: string },
): MarketAccount {
  const name = body.marketplace.toLowerCase();
  const market = Object.hasOwn(ctx.marketplaces, name) ? ctx.marketplaces[name] : undefined;
  if (market === undefined) {
    const names = Object.keys(ctx.marketplaces).join(', ') || 'none is';
    throw refusedField('/marketplace', `must be one that is configured here: ${names}`);
  }
  const text = body.account.includes(':') ? readAccountId(body.account)?.address : body.account;
  const address = ctx.wallets.evm.normalizeAddress(text ?? '', '1');
  if (address === undefined) throw refusedField('/account', 'must be an Ethereum address');
  return { name, market, address };
}
