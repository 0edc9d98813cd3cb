import { app, op, pageParams, T, user } from '@latchkey/kernel';
import { onNear } from './facts.ts';
import { accountParam, signatureParam } from './fields.ts';
import { registerUser } from './register-user.ts';
import { getBalance, getCreatedTokenContracts } from './token-reads.ts';
import { TokenContractPage } from './token-records.ts';
import { getOwnedTokens, getOwnedTokensByContract } from './tokens-as-contracts.ts';
import { Balance, UserAccount, UserAccountResult } from './user-records.ts';

const errors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;
const userId = T.String({
  description: 'A NEAR account, or the caller’s own user id for the account that was registered here.',
  minLength: 2,
  maxLength: 128,
});

export const userOperations = [
  op(
    'GET /near-nft/users/{userId}/balance',
    {
      id: 'getBalance',
      sdk: 'NearNFTController.getBalance',
      summary: 'Read a balance',
      description: 'Returns what an account has of NEAR, or of a fungible token, in the smallest unit.',
      facts: { idsOfNobody: { userId: 'Public on its chain.' } },
      access: app(),
      params: {
        userId,
        erc20: T.Optional(
          T.String({
            description: 'The contract of a fungible token, or the symbol of one that a market made here takes.',
            minLength: 1,
            maxLength: 64,
          }),
        ),
      },
      returns: Balance,
      errors,
    },
    getBalance,
  ),
  op(
    'GET /near-nft/users/{userId}/owned-tokens/{address}',
    {
      id: 'getOwnedTokensByContract',
      sdk: 'NearNFTController.getOwnedTokensByContract',
      summary: 'List an account’s tokens in a contract',
      description: 'Returns the tokens that an account has in one contract, each in the form of a contract.',
      facts: { idsOfNobody: { userId: 'Public on its chain.', address: 'Public on its chain.' } },
      access: app(),
      params: { userId, address: accountParam('The token contract.'), ...pageParams },
      returns: TokenContractPage,
      paginated: 'token',
      errors,
    },
    getOwnedTokensByContract,
  ),
  op(
    'GET /near-nft/users/{userId}/owned-tokens',
    {
      id: 'getOwnedTokens',
      sdk: 'NearNFTController.getOwnedTokens',
      summary: 'List an account’s tokens',
      description:
        'Returns the tokens that an account has in the contracts that were made here, each in the form of a contract.',
      facts: { idsOfNobody: { userId: 'Public on its chain.' } },
      access: app(),
      params: { userId, ...pageParams },
      returns: TokenContractPage,
      paginated: 'token',
      errors,
    },
    getOwnedTokens,
  ),
  op(
    'GET /near-nft/users/{userId}/token-contracts',
    {
      id: 'getCreatedTokenContracts',
      sdk: 'NearNFTController.getCreatedTokenContracts',
      summary: 'List the contracts that a caller made',
      description:
        'Returns the token contracts that the caller made here. Of others it returns none; the operator sees all.',
      facts: { idsOfNobody: { userId: 'Only contracts are shown that the caller made.' } },
      access: app(),
      params: { userId, ...pageParams },
      returns: TokenContractPage,
      paginated: 'token',
      errors,
    },
    getCreatedTokenContracts,
  ),
  op(
    'POST /near-nft/users',
    {
      id: 'registerUser',
      sdk: 'NearNFTController.registerUser',
      summary: 'Register a NEAR account',
      description:
        'Registers a NEAR account as the caller’s. One that is not there yet is made below the account of this server, once for each caller. Any other is to be proven: the first request is answered with a message to sign and with a sign-in, and the same request with the signature, or with the signInState after the wallet has added the key, registers it. The message names the caller, and a sign-in counts once.',
      facts: {
        needsNoKey: onNear,
        senderDecides: 'accountId publicKey extraPublicKeys signature',
        idsOfNobody: { accountId: 'An account, which has to be new or to be proven.' },
      },
      access: user(),
      params: { 'x-near-signature': signatureParam },
      body: UserAccount,
      returns: UserAccountResult,
      errors: [...errors, 'INVALID_CREDENTIAL', 'PLAN_LIMIT_REACHED'],
    },
    registerUser,
  ),
] as const;
