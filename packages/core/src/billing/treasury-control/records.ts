import { choice, record, shape, T, text, type ValueOf } from '@latchkey/kernel';
import { chainInWords } from '../../gating/naming/index.ts';
import { AuthenticationOptions } from '../../identity/webauthn/index.ts';
import {
  type ActionRow,
  type TreasuryRow,
  type TreasuryView,
  treasuryStatuses,
} from '../../services/treasuries/index.ts';

export const evmAddress = (description: string) =>
  T.String({ description, pattern: '^0x[0-9a-fA-F]{40}$', minLength: 42, maxLength: 42 });
const units = (description: string) => T.String({ description, pattern: '^(0|[1-9][0-9]{0,77})$', maxLength: 78 });

export const Treasury = record(
  'Treasury',
  'The wallet of a community or an organization: a Safe 1.4.1 on an EVM chain.',
  {
    address: text('The address of the Safe, in EIP-55 form.'),
    chainId: T.Number({ description: 'The EVM chain it is on.' }),
    chainName: text('The name of that chain.'),
    holder: choice('Whose wallet it is.', ['community', 'organization']),
    holderId: text('The id of the community or organization.'),
    status: choice(
      'COUNTERFACTUAL: the address can receive money, the contract is not deployed. DEPLOYING: in progress. DEPLOYED: on the chain.',
      treasuryStatuses,
    ),
    txHash: T.Optional(
      text('The transaction that deployed it. Absent until there is one, and if it was deployed by another party.'),
    ),
    balance: T.Optional(
      units('Its balance in the chain’s native coin, in the smallest unit. Absent while the chain cannot be read.'),
    ),
    ownerAddress: text('The owner’s address, whose signature is required for transfers.'),
    control: choice('server: the signer of this server holds the owner’s key. own-wallet: it was handed over.', [
      'server',
      'own-wallet',
    ]),
    isYours: T.Boolean({ description: 'Whether the caller owns its community or organization and can use it.' }),
  },
);
export type Treasury = ValueOf<typeof Treasury>;

export function toTreasury(row: TreasuryRow, view: TreasuryView, isYours: boolean): Treasury {
  const { balance, ...rest } = view;
  return {
    address: row.safe_address,
    chainId: row.chain_id,
    chainName: chainInWords(`evm:${row.chain_id}`),
    holder: row.kind,
    holderId: row.holder_id,
    ...rest,
    ...(balance !== undefined && { balance: String(balance) }),
    control: view.ownerAddress.toLowerCase() === row.owner_address.toLowerCase() ? 'server' : 'own-wallet',
    isYours,
  };
}

const standards = ['coin', 'erc20', 'erc721', 'erc1155'] as const;

export const TransferRequest = shape(
  T.Object({
    to: evmAddress('The recipient.'),
    standard: T.Optional(choice('What is sent. Defaults to coin, or erc20 if token is set.', standards)),
    amount: T.Optional(units('How much, in the smallest unit. Not for erc721.')),
    token: T.Optional(evmAddress('The token contract. Not for the coin of the chain.')),
    tokenId: T.Optional(units('The number of the token, for erc721 and erc1155.')),
  }),
);
export type TransferRequest = ValueOf<typeof TransferRequest>;

export const HandoffRequest = shape(
  T.Object({ newOwner: evmAddress('The wallet that owns the Safe from then on: one that is linked to your account.') }),
);

const Approval = record('TreasuryApproval', 'What to show before the owner approves, and how to approve.', {
  digest: text('What the signer will sign, as 0x and 64 hexadecimal digits.'),
  summary: T.Array(text('One line.', { maxLength: 4096 }), {
    description: 'What happens, line by line.',
    maxItems: 100,
  }),
  warnings: T.Array(text('One warning.', { maxLength: 4096 }), {
    description: 'Warnings to show.',
    maxItems: 100,
  }),
  expiresAt: text('Until when it can be approved, in ISO 8601 format.', { maxLength: 64 }),
  passkeyOptions: T.Optional(AuthenticationOptions),
});

export const TreasuryAction = record('TreasuryAction', 'A past or pending action of a wallet.', {
  id: text('The id of the action.', { maxLength: 64 }),
  kind: choice('What it does.', ['deployment', 'transfer', 'handoff']),
  state: choice(
    'proposed: waiting for approval. waiting: approved, not sent yet. sent: in progress. done: on the chain. failed: ended without effect.',
    ['proposed', 'waiting', 'sent', 'done', 'failed'],
  ),
  to: T.Optional(text('The recipient.')),
  standard: T.Optional(choice('What is sent.', standards)),
  token: T.Optional(text('The token contract.')),
  tokenId: T.Optional(text('The number of the token.')),
  amount: T.Optional(units('How much, in the smallest unit.')),
  newOwner: T.Optional(text('The wallet that the Safe is handed over to.')),
  txHash: T.Optional(text('The transaction on the chain, once it is mined.')),
  problem: T.Optional(text('Why it failed, or what it is waiting for.')),
  requestedBy: text('The id of the user who requested it.', { maxLength: 256 }),
  createdAt: text('When it was requested, in ISO 8601 format.', { maxLength: 64 }),
  updatedAt: text('When it last changed, in ISO 8601 format.', { maxLength: 64 }),
  approval: T.Optional(Approval),
});
export type TreasuryAction = ValueOf<typeof TreasuryAction>;

export function toAction(row: ActionRow): TreasuryAction {
  const { id, kind, state, content, tx_hash, problem, requested_by_id, created_at, updated_at } = row;
  return {
    id,
    kind,
    state,
    ...content,
    ...(tx_hash !== null && { txHash: tx_hash }),
    ...(problem !== null && { problem }),
    requestedBy: requested_by_id,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}
