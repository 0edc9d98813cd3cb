import { op, pageOf, pageParams, shape, T, text } from '@latchkey/kernel';
import { treasuryOwner, treasuryReader } from './access.ts';
import { approveTreasuryAction } from './approve.ts';
import { deployTreasury } from './deploy.ts';
import { proposeHandOver } from './hand-over.ts';
import { getTreasuryByAddress, listTreasuryActions } from './reads.ts';
import { evmAddress, HandOverRequest, TransferRequest, Treasury, TreasuryAction } from './records.ts';
import { proposeTransfer } from './transfer.ts';

const address = evmAddress('The address of the wallet, as PUT /communities/{communityId}/wallet returns it.');
const actionId = text('The id of the action.', { minLength: 1, maxLength: 64 });
const owner = 'For the owner of the community or organization, signed in directly.';
const pays =
  'Fails with ROLE_NOT_ALLOWED if the operator pays no fees for you, and with RATE_LIMITED once the budget for the day is used up.';

export const treasuryOperations = [
  op(
    'GET /latchkey/treasuries/{address}',
    {
      id: 'getTreasuryByAddress',
      summary: 'Get a wallet’s status and balance',
      description:
        'Returns the wallet of a community or organization as its chain shows it now. For admins of the community, the owner of the organization and the operator.',
      access: treasuryReader,
      params: { address },
      returns: Treasury,
    },
    getTreasuryByAddress,
  ),
  op(
    'GET /latchkey/treasuries/{address}/actions',
    {
      id: 'listTreasuryActions',
      summary: 'List a wallet’s history',
      description:
        'Returns what was done with the wallet through this server, and what is to be: deployments, transfers and hand-overs, newest first.',
      access: treasuryReader,
      params: { address, ...pageParams },
      returns: pageOf(TreasuryAction, 'TreasuryActionPage'),
      paginated: 'token',
    },
    listTreasuryActions,
  ),
  op(
    'POST /latchkey/treasuries/{address}/deploy',
    {
      id: 'deployTreasury',
      summary: 'Deploy a wallet',
      description: `Has the operator’s account deploy the Safe. Without it the wallet is deployed with its first transfer. Asking again returns the same deployment while it is under way. ${owner} Fails with STATE_CONFLICT if the wallet is deployed. ${pays}`,
      audit: 'treasury.deploy',
      facts: { needsNoKey: 'A Safe is deployed once, however often it is asked for.' },
      access: treasuryOwner,
      params: { address },
      returns: TreasuryAction,
      errors: ['ROLE_NOT_ALLOWED', 'STATE_CONFLICT', 'UNAVAILABLE', 'NOT_CONFIGURED'],
    },
    deployTreasury,
  ),
  op(
    'POST /latchkey/treasuries/{address}/transfers',
    {
      id: 'proposeTransfer',
      summary: 'Propose a transfer from a wallet',
      description: `Prepares to send coins or a token (ERC-20, ERC-721, ERC-1155) out of the wallet. Nothing moves: show approval.summary and approval.warnings, then approve within five minutes. ${owner} Fails with STATE_CONFLICT if the wallet holds too little, the transfer would fail, another one is under way, or the wallet was handed over. ${pays}`,
      audit: 'treasury.propose',
      facts: {
        needsNoKey: 'It moves nothing, and each proposal is approved by itself.',
        senderDecides: 'to standard amount token tokenId',
        idsOfNobody: { tokenId: 'A token of the contract.' },
      },
      access: treasuryOwner,
      params: { address },
      body: TransferRequest,
      returns: TreasuryAction,
      errors: ['ROLE_NOT_ALLOWED', 'STATE_CONFLICT', 'UNAVAILABLE', 'NOT_CONFIGURED', 'VALIDATION_FAILED'],
    },
    proposeTransfer,
  ),
  op(
    'POST /latchkey/treasuries/{address}/hand-over',
    {
      id: 'proposeHandOver',
      summary: 'Propose to hand a wallet over',
      description: `Prepares to make one of your linked wallets the owner of the Safe. Once approved and done, only that wallet can move what the Safe holds, and this server cannot take it back. ${owner} ${pays}`,
      audit: 'treasury.propose',
      facts: {
        needsNoKey: 'It moves nothing, and each proposal is approved by itself.',
        senderDecides: 'newOwner',
      },
      access: treasuryOwner,
      params: { address },
      body: HandOverRequest,
      returns: TreasuryAction,
      errors: ['ROLE_NOT_ALLOWED', 'STATE_CONFLICT', 'UNAVAILABLE', 'NOT_CONFIGURED', 'VALIDATION_FAILED'],
    },
    proposeHandOver,
  ),
  op(
    'POST /latchkey/treasuries/{address}/actions/{actionId}/approve',
    {
      id: 'approveTreasuryAction',
      summary: 'Approve a proposed transfer or hand-over',
      description: `Has the signer sign what you proposed and sends it off; the wallet is deployed first if it has to be. Send in otp the six digits of an authenticator app, or the slug that POST /webauthn/authentication/store returns for an answer to approval.passkeyOptions. Either counts for exactly this action, once. The history shows how it goes on. ${owner} Fails with INVALID_OTP for a wrong proof, with STATE_CONFLICT if the time is over or the wallet has changed, and with UNAVAILABLE while the signer or the chain is down.`,
      audit: 'treasury.approve',
      facts: {
        needsNoKey: 'An action is approved once.',
        senderDecides: 'otp',
        idsOfNobody: { actionId: 'An action of the wallet that admits the caller.' },
      },
      access: treasuryOwner,
      params: { address, actionId },
      body: shape(
        T.Object({
          otp: text('A code of an authenticator app, or the slug of a passkey’s answer.', {
            minLength: 1,
            maxLength: 256,
          }),
        }),
      ),
      returns: TreasuryAction,
      errors: [
        'ROLE_NOT_ALLOWED',
        'INVALID_OTP',
        'TOO_MANY_TRIES',
        'ENTITY_NOT_FOUND',
        'STATE_CONFLICT',
        'UNAVAILABLE',
        'NOT_CONFIGURED',
      ],
    },
    approveTreasuryAction,
  ),
] as const;
