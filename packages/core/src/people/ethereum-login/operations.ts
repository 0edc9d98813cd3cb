import { anyone, op, resource } from '@latchkey/kernel';
import {
  challengeTtlSeconds,
  WalletChallengeRequest,
  WalletChallengeResponse,
  WalletIdTokenRequest,
  WalletIdTokenResponse,
} from './challenge.ts';
import { getChallenge } from './create-challenge.ts';
import { loginBySiwe } from './log-in.ts';

export const ethereumLogin = resource('ethereum-login', 'Signing in with an Ethereum wallet.', [
  op(
    'POST /ethereum-login/challenges',
    {
      id: 'getChallenge',
      sdk: 'EthereumLoginController.getChallenge',
      summary: 'Get a message to sign',
      description: `Writes the whole message the wallet is to sign, in the form of EIP-4361 (Sign-In with Ethereum). It works once, for ${challengeTtlSeconds / 60} minutes, for the page, account and chain it names.`,
      facts: {
        needsNoKey: 'A challenge too many is forgotten after 15 minutes.',
        senderDecides: 'state uri domain accountId resources',
      },
      access: anyone,
      body: WalletChallengeRequest,
      returns: WalletChallengeResponse,
    },
    getChallenge,
  ),
  op(
    'POST /ethereum-login/id-tokens',
    {
      id: 'loginBySiwe',
      sdk: 'EthereumLoginController.loginBySiwe',
      summary: 'Sign in with a signed message',
      description:
        'Checks the signature of a challenge. On a page of this server the token is a session of the account that the wallet signs in to: one whose owner switched that on for this wallet, or else the account of the wallet itself. On a page of an application the token tells that application who the person is and holds no scope. A wallet that signs in to several accounts gets STATE_CONFLICT with the resource to ask for in a new challenge. Signatures of contract wallets (ERC-1271, ERC-6492) are checked on their chain, if the operator has configured it.',
      facts: {
        needsNoKey: 'A challenge works once by itself.',
        senderDecides: 'requestId signature signatureType accountId scopes',
      },
      access: anyone,
      body: WalletIdTokenRequest,
      returns: WalletIdTokenResponse,
      errors: ['STATE_CONFLICT'],
    },
    loginBySiwe,
  ),
]);
