import { alsoLimited, app, op, resource, shape, T, text } from '@latchkey/kernel';
import { FunctionCalls, NearReceipt, NearTransaction } from './near-record.ts';
import {
  findLikelyNfts,
  findLikelyTokens,
  getChildAccounts,
  getFunctionCalls,
  getReceipt,
  getTransaction,
  getTransactionHistoryForAccount,
  getTransactionHistoryForToken,
  getTransactions,
} from './reads.ts';

const accountId = (description: string) => T.String({ description, minLength: 2, maxLength: 64 });
const id = (description: string) => T.String({ description, minLength: 1, maxLength: 64 });
const include = T.Optional(
  T.String({ description: 'Accepted for older clients; the response is always complete.', maxLength: 256 }),
);
const limit = T.Optional(
  T.Number({ description: 'How many to return. Defaults to 100.', minimum: 1, maximum: 1000, multipleOf: 1 }),
);
const offset = T.Optional(T.Number({ description: 'How many to skip.', minimum: 0, maximum: 50_000, multipleOf: 1 }));
const names = (description: string) =>
  shape(T.Array(text('An account.', { maxLength: 64 }), { description, maxItems: 1000 }));
const Contracts = names('The contracts, in alphabetical order.');

const chainReader = alsoLimited(app(), { harmless: 'Blocks and transactions are public.' });

export const nearIndexer = resource('near-indexer', 'What happened on the NEAR network that this server follows.', [
  op(
    'GET /near-indexer/receipts/{receiptId}',
    {
      id: 'getReceipt',
      sdk: 'NearIndexerController.getReceipt',
      summary: 'Get a receipt',
      description: 'Returns a receipt of a block that was indexed, and the transaction that led to it.',
      access: chainReader,
      params: { receiptId: id('The id of the receipt.'), include },
      returns: NearReceipt,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED'],
    },
    getReceipt,
  ),
  op(
    'GET /near-indexer/transactions/{txHash}',
    {
      id: 'getTransaction',
      sdk: 'NearIndexerController.getTransaction',
      summary: 'Get a transaction',
      description: 'Returns a transaction of a block that was indexed.',
      access: chainReader,
      params: { txHash: id('The hash of the transaction.'), include },
      returns: NearTransaction,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED'],
    },
    getTransaction,
  ),
  op(
    'GET /near-indexer/transactions',
    {
      id: 'getTransactions',
      sdk: 'NearIndexerController.getTransactions',
      summary: 'List the calls that transactions made',
      description:
        'Lists the calls of contracts that users signed themselves, newest first. Calls made by contracts are not included; use GET /near-indexer/{contract}/function-calls for those.',
      access: chainReader,
      params: {
        contract: T.Optional(accountId('Only calls of this contract.')),
        caller: T.Optional(accountId('Only calls by this account.')),
        limit,
        offset,
      },
      paginated: 'offset',
      returns: FunctionCalls,
      errors: ['NOT_CONFIGURED'],
    },
    getTransactions,
  ),
  op(
    'GET /near-indexer/{parentAccount}/accounts',
    {
      id: 'getChildAccounts',
      sdk: 'NearIndexerController.getChildAccounts',
      summary: 'List the accounts under an account',
      description:
        'Lists the accounts one level below another, such as token.factory.near under factory.near, if they appear in an indexed block.',
      access: chainReader,
      params: {
        parentAccount: accountId('The parent account.'),
        type: T.Optional(
          T.String({
            description: 'ft or nft for contracts of such tokens only. Defaults to every account.',
            maxLength: 16,
          }),
        ),
        limit,
        offset,
      },
      paginated: 'offset',
      returns: names('The accounts, in alphabetical order.'),
      errors: ['NOT_CONFIGURED'],
    },
    getChildAccounts,
  ),
  op(
    'GET /near-indexer/{accountId}/ft-contracts',
    {
      id: 'findLikelyTokens',
      sdk: 'NearIndexerController.findLikelyTokens',
      summary: 'List fungible tokens an account may hold',
      description:
        'Lists the contracts whose fungible tokens an account has interacted with, at most 1,000. Ask the contract for current balances.',
      access: chainReader,
      params: { accountId: accountId('The account.') },
      returns: Contracts,
      errors: ['NOT_CONFIGURED'],
    },
    findLikelyTokens,
  ),
  op(
    'GET /near-indexer/{accountId}/nft-contracts',
    {
      id: 'findLikelyNfts',
      sdk: 'NearIndexerController.findLikelyNfTs',
      summary: 'List an account’s likely NFT contracts',
      description:
        'Lists the contracts whose NFTs an account has interacted with, at most 1,000. Ask the contract for current holdings.',
      access: chainReader,
      params: { accountId: accountId('The account.') },
      returns: Contracts,
      errors: ['NOT_CONFIGURED'],
    },
    findLikelyNfts,
  ),
  op(
    'GET /near-indexer/{contract}/function-calls',
    {
      id: 'getFunctionCalls',
      sdk: 'NearIndexerController.getFunctionCalls',
      summary: 'List the calls of a contract',
      description: 'Lists every call of a contract, by users and by other contracts, newest first.',
      access: chainReader,
      params: {
        contract: accountId('The contract.'),
        caller: T.Optional(accountId('Only calls by this account.')),
        limit,
        offset,
      },
      paginated: 'offset',
      returns: FunctionCalls,
      errors: ['NOT_CONFIGURED'],
    },
    getFunctionCalls,
  ),
  op(
    'GET /near-indexer/{contract}/transactions/{tokenId}',
    {
      id: 'getTransactionHistoryForToken',
      sdk: 'NearIndexerController.getTransactionHistoryForToken',
      summary: 'List the calls about a token',
      description:
        'Lists the calls of a contract that named a token in their arguments, or for which the contract logged an event about it, newest first.',
      access: chainReader,
      params: {
        contract: accountId('The contract.'),
        tokenId: T.String({ description: 'The token.', minLength: 1, maxLength: 256 }),
        limit,
        offset,
      },
      paginated: 'offset',
      returns: FunctionCalls,
      errors: ['NOT_CONFIGURED'],
    },
    getTransactionHistoryForToken,
  ),
  op(
    'GET /near-indexer/{contract}/transactionsForAccount/{account}',
    {
      id: 'getTransactionHistoryForAccount',
      sdk: 'NearIndexerController.getTransactionHistoryForAccount',
      summary: 'List the calls about an account',
      description:
        'Lists the calls of a contract that an account made, that named it, or for which the contract logged an event about it, newest first.',
      access: chainReader,
      params: { contract: accountId('The contract.'), account: accountId('The account.'), limit, offset },
      paginated: 'offset',
      returns: FunctionCalls,
      errors: ['NOT_CONFIGURED'],
    },
    getTransactionHistoryForAccount,
  ),
]);
