import { alsoLimited, app, choice, defaultPageSize, listOf, OpenObject, op, shape, T, user } from '@latchkey/kernel';
import { acceptOffer, buyToken } from './buy.ts';
import { addFtTokenIds } from './change-contract.ts';
import { ownContract } from './contract-access.ts';
import { createMarketContract } from './create-contract.ts';
import { accountParam, accountPattern, offsetParams, signatureParam } from './fields.ts';
import {
  MarketContractSettings,
  TokenItem,
  TokenListing,
  TokenOffer,
  TokenOfferAcceptance,
  TokenSale,
  TokenSaleResult,
} from './market-records.ts';
import { type NearContext, viewOf, withNear } from './near-setup.ts';
import { getSaleAt, readSale, writeListing } from './sale-on-chain.ts';
import { placeOf, removeSale, sellToken, updatePrice } from './sell.ts';
import { TokenContract } from './token-records.ts';

interface Span {
  offset?: number | undefined;
  limit?: number | undefined;
}

export function getSale(ctx: NearContext, { body }: { body: TokenItem }): Promise<TokenListing> {
  return withNear(ctx, async (near) => writeListing(await getSaleAt(near, placeOf(near, body))));
}

export function getSaleByTokenId(
  ctx: NearContext,
  { marketContract, tokenContract, tokenId }: { marketContract: string; tokenContract: string; tokenId: string },
): Promise<TokenListing> {
  return getSale(ctx, { body: { marketContract, tokenContract, tokenId } });
}

const views = {
  owner_id: { method: 'get_sales_by_owner_id', arg: 'account_id' },
  nft_contract_id: { method: 'get_sales_by_nft_contract_id', arg: 'nft_contract_id' },
  nft_token_type: { method: 'get_sales_by_nft_token_type', arg: 'token_type' },
} as const;

type SaleIndex = keyof typeof views;
const saleIndexes = Object.keys(views) as SaleIndex[];

/** Lists the sales of a market under one of its indexes. */
export function getSales(
  ctx: NearContext,
  {
    marketContract,
    indexName,
    indexKey,
    offset = 0,
    limit = defaultPageSize,
  }: {
    marketContract: string;
    indexName: SaleIndex;
    indexKey: string;
  } & Span,
): Promise<TokenListing[]> {
  return withNear(ctx, async (near) => {
    const { method, arg } = views[indexName];
    const args = { [arg]: indexKey, from_index: String(offset), limit };
    const found = await viewOf(near, { contract: marketContract, method, args, what: 'market contract' });
    const sales = Array.isArray(found) ? found.slice(0, limit) : [];
    return sales.flatMap((item) => {
      const sale = readSale(item);
      return sale === undefined ? [] : [writeListing(sale)];
    });
  });
}

export function getSalesByTokenContract(
  ctx: NearContext,
  { tokenContract, ...rest }: { marketContract: string; tokenContract: string } & Span,
): Promise<TokenListing[]> {
  return getSales(ctx, { ...rest, indexName: 'nft_contract_id', indexKey: tokenContract });
}

export function getSalesBySeller(
  ctx: NearContext,
  { seller, ...rest }: { marketContract: string; seller: string } & Span,
): Promise<TokenListing[]> {
  return getSales(ctx, { ...rest, indexName: 'owner_id', indexKey: seller });
}

export function getSalesByTokenType(
  ctx: NearContext,
  { tokenType, ...rest }: { marketContract: string; tokenType: string } & Span,
): Promise<TokenListing[]> {
  return getSales(ctx, { ...rest, indexName: 'nft_token_type', indexKey: tokenType });
}

const signing =
  'The acting account signs: the first request returns `toSign`; repeat it with the signatures in x-near-signature to execute it. It is executed only once.';
const sales = listOf(TokenListing, 'The sales, in the order of the market.');
const market = accountParam('The market.');
const errors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE', 'INVALID_CREDENTIAL'] as const;
const readErrors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;

export const marketOperations = [
  op(
    'POST /near-nft/market-contracts/accept',
    {
      id: 'acceptOffer',
      sdk: 'NearNFTController.accept',
      summary: 'Accept the highest bid',
      description: `Sells a token to the highest bidder. The bid must match the one in the request, so that another one is not accepted by mistake. The market transfers the token first and then pays the royalties, its own fee and the seller; if the token cannot be transferred, the bidder is refunded. ${signing}`,
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: TokenOfferAcceptance,
      returns: TokenSaleResult,
      errors,
    },
    acceptOffer,
  ),
  op(
    'POST /near-nft/market-contracts/buy',
    {
      id: 'buyToken',
      sdk: 'NearNFTController.buy',
      summary: 'Buy a token, or bid for it',
      description: `Pays for a token that is for sale. The exact price buys it at once; less is an offer that the seller can accept, and in an auction every offer is a bid. A higher bid refunds the lower one. An offer above the price is rejected, and so is one that was signed before the price changed. ${signing}`,
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: TokenOffer,
      returns: TokenSaleResult,
      errors,
    },
    buyToken,
  ),
  op(
    'POST /near-nft/market-contracts/sell',
    {
      id: 'sellToken',
      sdk: 'NearNFTController.sell',
      summary: 'List a token for sale',
      description: `Lets a market sell a token at a price in NEAR or fungible tokens, or by auction. The seller approves the market in the token contract; if the market requires a storage deposit first, there are two transactions to sign. ${signing}`,
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: TokenSale,
      returns: TokenSaleResult,
      errors,
    },
    sellToken,
  ),
  op(
    'POST /near-nft/market-contracts/remove-sale',
    {
      id: 'removeSale',
      sdk: 'NearNFTController.removeSale',
      summary: 'Cancel a sale',
      description: `Ends a sale without selling. Open bids are refunded. ${signing}`,
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: TokenSale,
      returns: TokenSaleResult,
      errors,
    },
    removeSale,
  ),
  op(
    'POST /near-nft/market-contracts/update-price',
    {
      id: 'updatePrice',
      sdk: 'NearNFTController.updatePrice',
      summary: 'Change the price of a sale',
      description: `Sets the price in each listed currency; other currencies do not change. ${signing}`,
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: TokenSale,
      returns: TokenSaleResult,
      errors,
    },
    updatePrice,
  ),
  op(
    'POST /near-nft/market-contracts/get-sale',
    {
      id: 'getSale',
      sdk: 'NearNFTController.getSale',
      summary: 'Get the sale of a token',
      description: 'Returns the sale of a token as the market has it: seller, prices and open bids.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      body: TokenItem,
      returns: TokenListing,
      errors: readErrors,
    },
    getSale,
  ),
  op(
    'POST /near-nft/market-contracts/{address}/ft-token-ids',
    {
      id: 'addFtTokenIds',
      sdk: 'NearNFTController.addFtTokenIds',
      summary: 'Add currencies to a market',
      description:
        'Adds fungible tokens to those that a market accepts. The market must have been created here by the caller; this server signs. Returns all tokens that the market now accepts.',
      access: ownContract('address', 'market'),
      params: { address: accountParam('The market.') },
      body: shape(
        T.Array(T.String({ minLength: 2, maxLength: 64, pattern: accountPattern }), {
          description: 'Contracts of fungible tokens.',
          minItems: 1,
          maxItems: 50,
        }),
      ),
      returns: OpenObject,
      errors: readErrors,
    },
    addFtTokenIds,
  ),
  op(
    'GET /near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract}/{tokenId}',
    {
      id: 'getSaleByTokenId',
      sdk: 'NearNFTController.getSaleByTokenId',
      summary: 'Get a token’s sale by path',
      description: 'Returns the sale of a token as the market has it.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: {
        marketContract: market,
        tokenContract: accountParam('The contract of the token.'),
        tokenId: T.String({ description: 'The token.', minLength: 1, maxLength: 256 }),
      },
      returns: TokenListing,
      errors: readErrors,
    },
    getSaleByTokenId,
  ),
  op(
    'GET /near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract}',
    {
      id: 'getSalesByTokenContract',
      sdk: 'NearNFTController.getSalesByTokenContract',
      summary: 'List the sales of a token contract',
      description: 'Returns the tokens of one contract that are for sale on a market.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: { marketContract: market, tokenContract: accountParam('The contract of the tokens.'), ...offsetParams },
      returns: sales,
      paginated: 'offset',
      errors: readErrors,
    },
    getSalesByTokenContract,
  ),
  op(
    'GET /near-nft/market-contracts/{marketContract}/sales/indexes/{indexName}/{indexKey}',
    {
      id: 'getSales',
      sdk: 'NearNFTController.getSales',
      summary: 'List a market’s sales by index',
      description: 'Returns the sales of a market by seller, by token contract or by type of token.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: {
        marketContract: market,
        indexName: choice('By what: the seller, the token contract or the type of token.', saleIndexes),
        indexKey: T.String({ description: 'Which one.', minLength: 1, maxLength: 256 }),
        ...offsetParams,
      },
      returns: sales,
      paginated: 'offset',
      errors: readErrors,
    },
    getSales,
  ),
  op(
    'GET /near-nft/market-contracts/{marketContract}/sales/sellers/{seller}',
    {
      id: 'getSalesBySeller',
      sdk: 'NearNFTController.getSalesBySeller',
      summary: 'List the sales of a seller',
      description: 'Returns what one account has for sale on a market.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: { marketContract: market, seller: accountParam('The account that sells.'), ...offsetParams },
      returns: sales,
      paginated: 'offset',
      errors: readErrors,
    },
    getSalesBySeller,
  ),
  op(
    'GET /near-nft/market-contracts/{marketContract}/sales/token-types/{tokenType}',
    {
      id: 'getSalesByTokenType',
      sdk: 'NearNFTController.getSalesByTokenType',
      summary: 'List sales by token type',
      description: 'Returns the tokens of one type that are for sale on a market.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: {
        marketContract: market,
        tokenType: T.String({ description: 'The type.', minLength: 1, maxLength: 256 }),
        ...offsetParams,
      },
      returns: sales,
      paginated: 'offset',
      errors: readErrors,
    },
    getSalesByTokenType,
  ),
  op(
    'POST /near-nft/market-contracts',
    {
      id: 'createMarketContract',
      sdk: 'NearNFTController.createMarketContract',
      summary: 'Create a market',
      description:
        'Creates a market on a subaccount of this server’s account, which signs and pays. Repeated with the same contractId and settings, it returns the same market.',
      access: app(),
      body: MarketContractSettings,
      returns: TokenContract,
      errors: [...readErrors, 'PLAN_LIMIT_REACHED'],
    },
    createMarketContract,
  ),
] as const;
