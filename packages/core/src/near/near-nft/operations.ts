import {
  AppError,
  alsoLimited,
  app,
  OpenObject,
  op,
  pageOf,
  pageParams,
  resource,
  shape,
  T,
  user,
  wholePageParams,
} from '@latchkey/kernel';
import type { NearStep } from '../../ports/index.ts';
import { addTokenTypes, mintToken, unlockTokenTypes } from './change-contract.ts';
import { ownContract } from './contract-access.ts';
import { createTokenContract } from './create-contract.ts';
import { accountParam, accountPattern, signatureParam } from './fields.ts';
import { marketOperations } from './market-operations.ts';
import { amountOf, invalidField, type NearContext, needed, requireNetwork, viewOf, withNear } from './near-setup.ts';
import { perform } from './perform.ts';
import { getTokenOf } from './sale-on-chain.ts';
import { requireOwner } from './sell.ts';
import { describeContract, getTokenById, getTokenContract, getTokens, writeToken } from './token-reads.ts';
import {
  MintedToken,
  NEP171TokenTypes,
  NearToEthTransfer,
  Token,
  TokenContract,
  TokenContractPage,
  TokenContractSettings,
  TokenSettings,
  TokenTransfer,
} from './token-records.ts';
import { getTokensByCollectionId } from './tokens-as-contracts.ts';
import { userOperations } from './user-operations.ts';

const errors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;
const signedErrors = [...errors, 'INVALID_CREDENTIAL'] as const;
const signing =
  'The acting account signs: the first request returns `toSign`; repeat it with the signature in x-near-signature to execute it. It is executed only once.';
const ownTokens = ownContract('address', 'token');
const contract = accountParam('The token contract.');

export const nearNft = resource('near-nft', 'Tokens on NEAR: contracts, minting, transfers, and markets for them.', [
  op(
    'POST /near-nft/bridge-tokens/withdraw',
    {
      id: 'nearToEth',
      sdk: 'NearNFTController.nearToEth',
      summary: 'Bring bridged tokens back to Ethereum',
      description: `Burns bridged tokens, so that the recipient can claim them on Ethereum. ${signing}`,
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: NearToEthTransfer,
      returns: OpenObject,
      errors: signedErrors,
    },
    nearToEth,
  ),
  ...marketOperations,
  op(
    'GET /near-nft/token-collections/{collectionId}',
    {
      id: 'getTokensByCollectionId',
      sdk: 'NearNFTController.getTokensByCollectionId',
      summary: 'List a collection',
      description:
        'Returns the contracts that were created here under a classification, or the tokens of the contract whose address is given. A page has up to 100 items, or fewer with `limit`.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: {
        collectionId: T.String({
          description: 'A classification, or the address of a contract.',
          minLength: 1,
          maxLength: 128,
        }),
        ...wholePageParams,
      },
      returns: TokenContractPage,
      paginated: 'token',
      errors,
    },
    getTokensByCollectionId,
  ),
  op(
    'POST /near-nft/token-contracts/{address}/token-types/unlock',
    {
      id: 'unlockTokenTypes',
      sdk: 'NearNFTController.unlock',
      summary: 'Make a token type transferable',
      description:
        'Unlocks types of tokens, which can be transferred and sold from then on. The contract must have been created here by the caller; this server signs.',
      access: ownTokens,
      params: { address: contract },
      body: shape(
        T.Array(T.String({ minLength: 1, maxLength: 64 }), { description: 'The types.', minItems: 1, maxItems: 100 }),
      ),
      returns: OpenObject,
      errors,
    },
    unlockTokenTypes,
  ),
  op(
    'POST /near-nft/token-contracts/{address}/token-types',
    {
      id: 'addTokenTypes',
      sdk: 'NearNFTController.addTokenTypes',
      summary: 'Add types of tokens',
      description:
        'Adds types to a token contract, each with the number of tokens that there may be. Tokens of a locked type cannot be transferred. The contract must have been created here by the caller; this server signs.',
      access: ownTokens,
      params: { address: contract },
      body: NEP171TokenTypes,
      returns: OpenObject,
      errors,
    },
    addTokenTypes,
  ),
  op(
    'POST /near-nft/token-contracts/{address}',
    {
      id: 'mintToken',
      sdk: 'NearNFTController.mintToken',
      summary: 'Mint a token',
      description:
        'Mints a token for an account, with royalties that markets pay out of every sale. The contract must have been created here by the caller; this server signs and pays. Repeated with the same id and settings, it returns the same token.',
      access: ownTokens,
      params: {
        address: contract,
        receiverId: T.Optional(
          T.String({
            description: 'The account that receives the token. Defaults to this server’s account.',
            minLength: 2,
            maxLength: 64,
            pattern: accountPattern,
          }),
        ),
      },
      body: TokenSettings,
      returns: MintedToken,
      errors,
    },
    mintToken,
  ),
  op(
    'GET /near-nft/token-contracts/{address}',
    {
      id: 'getTokenContract',
      sdk: 'NearNFTController.getTokenContract',
      summary: 'Get a token contract',
      description: 'Returns the metadata of a token contract on the chain, whether it was created here or not.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: { address: contract },
      returns: TokenContract,
      errors,
    },
    getTokenContract,
  ),
  op(
    'POST /near-nft/token-contracts',
    {
      id: 'createTokenContract',
      sdk: 'NearNFTController.createTokenContract',
      summary: 'Create a token contract',
      description:
        'Creates a contract of non-fungible tokens (NEP-171) on a subaccount of this server’s account, which signs and pays. Repeated with the same contractId and settings, it returns the same contract.',
      access: app(),
      body: TokenContractSettings,
      returns: TokenContract,
      errors: [...errors, 'PLAN_LIMIT_REACHED'],
    },
    createTokenContract,
  ),
  op(
    'POST /near-nft/tokens/transfer',
    {
      id: 'transferToken',
      sdk: 'NearNFTController.transfer',
      summary: 'Transfer a token',
      description: `Transfers a token to another account and returns its new state. ${signing}`,
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: TokenTransfer,
      returns: Token,
      errors: signedErrors,
    },
    transferToken,
  ),
  op(
    'GET /near-nft/tokens/{address}/{id}',
    {
      id: 'getTokenById',
      sdk: 'NearNFTController.getTokenById',
      summary: 'Get a token',
      description: 'Returns the current state of a token on the chain, and its contract.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: { address: contract, id: T.String({ description: 'The token.', minLength: 1, maxLength: 256 }) },
      returns: Token,
      errors,
    },
    getTokenById,
  ),
  op(
    'GET /near-nft/tokens/{address}',
    {
      id: 'getTokens',
      sdk: 'NearNFTController.getTokens',
      summary: 'List the tokens of a contract',
      description: 'Returns the current state of a contract’s tokens on the chain, in the order of the contract.',
      access: alsoLimited(app(), { harmless: 'Contract data on a chain is public.' }),
      params: { address: contract, ...pageParams },
      returns: pageOf(Token, 'TokenPage'),
      paginated: 'token',
      errors,
    },
    getTokens,
  ),
  ...userOperations,
]);

/** Transfers a token to another account. */
export function transferToken(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: { 'x-near-signature'?: string | undefined; body: TokenTransfer },
): Promise<Token> {
  return withNear(ctx, async (near) => {
    const contract = needed('/tokenAddress', body.tokenAddress);
    const tokenId = needed('/tokenId', body.tokenId);
    const sender = needed('/sender', body.sender);
    const receiver = needed('/receiver', body.receiver);
    if (sender === receiver) throw invalidField('/receiver', 'already has the token');
    const done = await perform(ctx, {
      operation: 'transfer',
      request: body,
      signerId: sender,
      signatures,
      prepare: async () => {
        requireOwner((await getTokenOf(near, contract, tokenId)).owner, sender);
        if ((await near.findAccount(receiver)) === undefined)
          throw new AppError('STATE_CONFLICT', `The account ${receiver} does not exist.`);
        const memo = body.price === undefined ? {} : { memo: `price: ${body.price}` };
        const args = { receiver_id: receiver, token_id: tokenId, ...memo };
        const step: NearStep = { kind: 'call', method: 'nft_transfer', args, teraGas: 30, yocto: '1' };
        return { transactions: [{ receiverId: contract, steps: [step] }], seen: { owner: sender } };
      },
    });
    const token = await getTokenOf(near, contract, tokenId);
    const written = writeToken(near, contract, token, await describeContract(ctx, near, contract));
    return done.kind === 'to-sign' ? { ...written, toSign: done.toSign } : { ...written, transactionHash: done.hash };
  });
}

/** Burns bridged tokens, so that they can be claimed on Ethereum. */
export function nearToEth(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: { 'x-near-signature'?: string | undefined; body: NearToEthTransfer },
): Promise<Record<string, unknown>> {
  return withNear(ctx, async (near) => {
    requireNetwork(near, body.chainId);
    const { bridgeTokenContract: contract, sender, amount } = body;
    const recipient = body.recipient.replace(/^0x/, '').toLowerCase();
    if (BigInt(amount) === 0n) throw invalidField('/amount', 'must be greater than zero');
    const balanceOf = async () =>
      amountOf(
        await viewOf(near, { contract, method: 'ft_balance_of', args: { account_id: sender }, what: 'bridged token' }),
      );
    const done = await perform(ctx, {
      operation: 'withdraw',
      request: body,
      signerId: sender,
      signatures,
      prepare: async () => {
        const held = await balanceOf();
        if (held < BigInt(amount)) throw new AppError('STATE_CONFLICT', `${sender} only has ${held} of the token.`);
        const step: NearStep = {
          kind: 'call',
          method: 'withdraw',
          args: { amount, recipient },
          teraGas: 100,
          yocto: '1',
        };
        return { transactions: [{ receiverId: contract, steps: [step] }], seen: {} };
      },
    });
    const written = {
      bridgeTokenContract: contract,
      sender,
      recipient: `0x${recipient}`,
      amount,
      chainId: near.network,
    };
    if (done.kind === 'to-sign') return { ...written, status: 'to-sign', toSign: done.toSign };
    return { ...written, status: 'withdrawn', transactionHash: done.hash, balance: String(await balanceOf()) };
  });
}
