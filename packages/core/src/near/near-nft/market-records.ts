import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import { accountId, amount, chainId, tokenId } from './fields.ts';
import { NearToSign } from './to-sign.ts';

export const TokenValue = record('TokenValue', 'An amount of something.', {
  ftContract: T.Optional(accountId('The contract of a fungible token, or near for NEAR itself.')),
  price: T.Optional(amount('The amount in the smallest unit.')),
});
export type TokenValue = ValueOf<typeof TokenValue>;

const item = {
  chainId,
  marketContract: T.Optional(accountId('The market. Defaults to the one of this server, if it has one.')),
  tokenContract: T.Optional(accountId('The contract of the token.')),
  tokenId: T.Optional(tokenId('The token.')),
};

export const TokenItem = record('TokenItem', 'A token on a market.', item);
export type TokenItem = ValueOf<typeof TokenItem>;

const sale = {
  ...item,
  seller: T.Optional(accountId('The account that sells, which signs.')),
  isAuction: T.Optional(T.Boolean({ description: 'Whether bids are collected instead of selling at the price.' })),
  prices: T.Optional(
    T.Array(TokenValue, { description: 'A price, or the lowest bid, in each currency.', maxItems: 20 }),
  ),
};

export const TokenSale = record('TokenSale', 'A token that is for sale.', sale);
export type TokenSale = ValueOf<typeof TokenSale>;

export const TokenOffer = record('TokenOffer', 'An offer for a token.', {
  ...item,
  buyer: T.Optional(accountId('The account that pays, which signs.')),
  price: T.Optional(TokenValue),
});
export type TokenOffer = ValueOf<typeof TokenOffer>;

export const TokenOfferAcceptance = record('TokenOfferAcceptance', 'An offer that the seller accepts.', {
  ...item,
  buyer: T.Optional(accountId('The account whose offer it is.')),
  price: T.Optional(TokenValue),
  seller: T.Optional(accountId('The account that sells, which signs.')),
});
export type TokenOfferAcceptance = ValueOf<typeof TokenOfferAcceptance>;

const saleStates = ['to-sign', 'listed', 'removed', 'offered', 'sold'] as const;

export const TokenSaleResult = record('TokenSaleResult', 'A sale, and the result of the request.', {
  ...sale,
  status: T.Optional(choice('The current status.', saleStates)),
  buyer: T.Optional(text('The account that bids or has bought.', { maxLength: 64 })),
  payouts: T.Optional(
    T.Array(
      record('TokenPayout', "An account's share of the price.", {
        address: text('The account.', { maxLength: 64 }),
        amount: amount('How much, in the smallest unit.'),
        label: text('seller, royalty or market.', { maxLength: 16 }),
      }),
      { description: 'How the price is split.', maxItems: 20 },
    ),
  ),
  transactionHash: T.Optional(text('The last transaction that was sent for this response.', { maxLength: 64 })),
  toSign: T.Optional(T.Array(NearToSign, { description: 'What must be signed first.', maxItems: 4 })),
});
export type TokenSaleResult = ValueOf<typeof TokenSaleResult>;

const TokenBid = record('TokenBid', 'The highest bid in a currency.', {
  buyer: T.Optional(text('The account that bids.', { maxLength: 64 })),
  price: T.Optional(TokenValue),
});

export const TokenListing = record('TokenListing', 'The current state of a sale on the market.', {
  nftContract: T.Optional(text('The contract of the token.', { maxLength: 64 })),
  tokenId: T.Optional(tokenId('The token.')),
  tokenType: T.Optional(text('Its type.', { maxLength: 256 })),
  seller: T.Optional(text('The account that sells.', { maxLength: 64 })),
  conditions: T.Optional(T.Array(TokenValue, { description: 'The price in each currency.', maxItems: 100 })),
  bids: T.Optional(T.Array(TokenBid, { description: 'The open bids.', maxItems: 100 })),
  createdAt: T.Optional(text('When the sale began.', { maxLength: 64 })),
});
export type TokenListing = ValueOf<typeof TokenListing>;

export const MarketContractSettings = record('MarketContractSettings', 'A market to create.', {
  contractId: T.Optional(
    text('The name of its account below the server’s account. Send it to make the request safe to repeat.', {
      minLength: 2,
      maxLength: 40,
      pattern: '^[a-z0-9]+([-_][a-z0-9]+)*$',
    }),
  ),
  ftTokenIds: T.Optional(
    T.Array(accountId('A contract of a fungible token.'), {
      description: 'The accepted currencies besides NEAR.',
      maxItems: 50,
    }),
  ),
  ownerAccount: T.Optional(accountId('The account that receives the market fee.')),
  chainId,
});
export type MarketContractSettings = ValueOf<typeof MarketContractSettings>;
