import { alsoLimited, NoContent, op, resource } from '@latchkey/kernel';
import { claimTelegramPkp, claimUserPkp } from './claim.ts';
import {
  CheckPkpAvailabilityResponse,
  PkpClaimResponse,
  PkpItem,
  SignMessageRequest,
  SignMessageResponse,
} from './hosted-wallet.ts';
import { person } from './owner.ts';
import { checkPkpAvailability, getUserPkp } from './reads.ts';
import { signMessage } from './sign-message.ts';

export const hostedWallets = resource('hosted-wallets', 'Wallets whose keys the server keeps for its users.', [
  op(
    'GET /users/me/pkp',
    {
      id: 'getUserPkp',
      sdk: 'TelefrensPkpController.getUserPkp',
      summary: 'Read your hosted wallet',
      description: 'Returns the hosted wallet of the signed-in user. Its private key is never returned.',
      access: person('user:pkp:read'),
      returns: PkpItem,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getUserPkp,
  ),
  op(
    'PUT /users/me/pkp',
    {
      id: 'claimUserPkp',
      sdk: 'TelefrensPkpController.claimUserPkp',
      summary: 'Claim a hosted wallet',
      description:
        'Makes a wallet for the signed-in user, whose key is kept by the signer of this server, and registers its address on the configured chain. Claiming again returns the same wallet and transaction. While the signer or the chain is down the answer is 503; ask again, and the claim goes on where it was. The wallet is not linked to the account by itself: sign the message of GET /account/auth-message with it, with otp, to link it.',
      access: person('user:pkp:claim'),
      returns: PkpClaimResponse,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    claimUserPkp,
  ),
  op(
    'GET /telegram-pkp/check-availability',
    {
      id: 'checkPkpAvailability',
      sdk: 'TelegramPkpController.checkPkpAvailability',
      summary: 'Check a Telegram user’s hosted wallet',
      description:
        'For users who signed in with Telegram. The token and its client application, if there is one, hold user:pkp:read or every scope.',
      access: alsoLimited(person(), { scopes: ['user:pkp:read'] }),
      returns: CheckPkpAvailabilityResponse,
    },
    checkPkpAvailability,
  ),
  op(
    'POST /telegram-pkp/claim',
    {
      id: 'claimTelegramPkp',
      sdk: 'TelegramPkpController.claimTelegramPkp',
      summary: 'Claim a hosted wallet on Telegram',
      description:
        'Does for users who signed in with Telegram what PUT /users/me/pkp does for everybody, but does not wait for the chain: the registration is on its way when this answers. Claiming again changes nothing. The token and its client application, if there is one, hold user:pkp:claim or every scope.',
      facts: { needsNoKey: 'A user has one wallet, however often it is claimed.' },
      access: alsoLimited(person(), { scopes: ['user:pkp:claim'] }),
      returns: NoContent,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    claimTelegramPkp,
  ),
]);

export const pkp = resource('pkp', 'Signing with a hosted wallet.', [
  op(
    'POST /pkp/sign-message',
    {
      id: 'signMessage',
      sdk: 'TelefrensPkpController.signMessage',
      summary: 'Sign with your hosted wallet',
      description:
        'Signs a text as personal_sign does (EIP-191), or typed data as eth_signTypedData_v4 does (EIP-712) when the message is its JSON, exactly as JSON.stringify writes it. A message of 0x and 64 hexadecimal digits is a bare hash, which is signed only where the operator allows it. Typed data, hashes and messages that link the wallet need the person: without otp the answer is INVALID_OTP, whose details hold digest, summary and warnings to show, and passkeyOptions for a passkey; send the proof in otp within five minutes. It approves this text for this application, once. A passkey or an authenticator app that was added in the last day does not count. A token of an application has typed data signed only for the domains that the operator allows it. Texts that would log in to this server, messages that link the wallet to another account, and other bytes, such as transactions, are refused. What was signed is kept for its owner; how often a wallet signs is limited by the minute and by the day.',
      facts: {
        needsNoKey: 'The same text gets the same signature, and each is counted.',
        senderDecides: 'address message otp',
      },
      access: person('user:pkp:sign'),
      body: SignMessageRequest,
      returns: SignMessageResponse,
      errors: [
        'CLIENT_NOT_ALLOWED',
        'ENTITY_NOT_FOUND',
        'INVALID_OTP',
        'STATE_CONFLICT',
        'TOO_MANY_TRIES',
        'UNAVAILABLE',
      ],
    },
    signMessage,
  ),
]);
