import { AppError, addSeconds, principalId } from '@latchkey/kernel';
import { chainInWords } from '../../gating/naming/index.ts';
import { announceApproval, approvalTtlSeconds, type SigningRequest } from '../../identity/hosted-wallets/index.ts';
import type { SafeCall, SafeState, Safes, SafeTransaction } from '../../ports/index.ts';
import {
  type ActionContent,
  type ActionRow,
  countProposed,
  deleteExpired,
  findOpen,
  getSafes,
  insertAction,
  leastGas,
  lockTreasury,
  newAction,
  type TreasuryRow,
} from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';
import { askChain, getTreasury, requirePayment } from './own-treasury.ts';
import { type TreasuryAction, toAction } from './records.ts';

export type ProposeContext = Pick<
  Context,
  'actor' | 'clock' | 'db' | 'evmDigests' | 'keyring' | 'log' | 'random' | 'safes' | 'settings' | 'tx' | 'wallets'
>;

const mostProposed = 20;

export interface Proposal {
  kind: 'transfer' | 'handoff';
  content: ActionContent;
  callOf(safes: Safes, treasury: TreasuryRow): SafeCall;
}

/**
 * Stores what the owner wants to do, and what they must approve for it. Nothing is signed and nothing is transferred.
 */
export async function propose(ctx: ProposeContext, address: string, options: Proposal): Promise<TreasuryAction> {
  const treasury = await getTreasury(ctx, address);
  const safes = getSafes(ctx, treasury.chain_id);
  const userId = principalId(ctx.actor);
  await requirePayment(ctx, treasury, userId);
  const call = options.callOf(safes, treasury);
  const { nonce } = await readOwned(ctx, safes, treasury, call);
  const transaction = { ...call, safe: treasury.safe_address, nonce, leastGas };
  const action = newAction(ctx, treasury, userId, {
    kind: options.kind,
    state: 'proposed',
    content: options.content,
    call: { ...call, value: String(call.value) },
    nonce: String(nonce),
    typed_data: typedDataOf(transaction, treasury.chain_id),
    expires_at: addSeconds(ctx.clock(), approvalTtlSeconds),
  });
  await ctx.db.transaction('system', async (tx) => {
    await lockTreasury(tx, treasury.safe_address);
    await deleteExpired(tx, treasury.safe_address, ctx.clock());
    if ((await countProposed(tx, treasury.safe_address)) >= mostProposed)
      throw new AppError('RATE_LIMITED', 'Too many pending approvals. Try again in a few minutes.', {
        retryAfterSeconds: approvalTtlSeconds,
      });
    await insertAction(tx, action);
  });
  return { ...toAction(action), approval: await announceApproval(ctx, signingRequestOf(treasury, action)) };
}

/**
 * Returns the current state of the Safe, if this server may move its funds, nothing else is in progress, and the call
 * would succeed.
 */
export async function readOwned(
  ctx: Pick<Context, 'db'>,
  safes: Safes,
  treasury: TreasuryRow,
  call: SafeCall,
): Promise<SafeState> {
  const { safe_address, owner_address } = treasury;
  if ((await findOpen(ctx.db.system, safe_address, 'move')) !== undefined)
    throw new AppError('STATE_CONFLICT', 'Another transfer from this wallet is in progress. Wait until it finishes.');
  const state = await askChain(safes, (chain) => chain.readState(safe_address));
  const isOwner = ({ owners }: SafeState) =>
    owners.some((owner) => owner.toLowerCase() === owner_address.toLowerCase());
  if (state.isDeployed && !isOwner(state))
    throw new AppError(
      'STATE_CONFLICT',
      `This wallet is owned by ${state.owners.join(', ')}. Use the owner wallet to transfer its funds.`,
    );
  if (call.value > state.balance)
    throw new AppError(
      'STATE_CONFLICT',
      `This wallet holds ${state.balance} in the smallest unit of the chain's coin, less than the requested amount.`,
    );
  // Calls of a Safe to itself can be simulated only once it is deployed.
  if (call.to.toLowerCase() !== safe_address.toLowerCase() || state.isDeployed)
    await askChain(safes, (chain) => chain.rehearse(safe_address, call));
  return state;
}

/** Returns what the owner approves, under their own name. */
export function signingRequestOf(treasury: TreasuryRow, action: ActionRow): SigningRequest {
  return {
    userId: action.requested_by_id,
    address: treasury.owner_address,
    clientId: undefined,
    purpose: 'typed-data',
    text: action.typed_data ?? '',
    description: describeAction(treasury, action),
  };
}

const noAddress = '0x0000000000000000000000000000000000000000';

const fields = [
  ['to', 'address'],
  ['value', 'uint256'],
  ['data', 'bytes'],
  ['operation', 'uint8'],
  ['safeTxGas', 'uint256'],
  ['baseGas', 'uint256'],
  ['gasPrice', 'uint256'],
  ['gasToken', 'address'],
  ['refundReceiver', 'address'],
  ['nonce', 'uint256'],
] as const;

/**
 * Returns what the owner of a Safe signs for a transaction (EIP-712, as Safe 1.4.1 defines it), in the one form that
 * the signer accepts.
 */
function typedDataOf({ safe, to, value, data, nonce, leastGas }: SafeTransaction, chainId: number): string {
  return JSON.stringify({
    types: {
      EIP712Domain: [
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      SafeTx: fields.map(([name, type]) => ({ name, type })),
    },
    primaryType: 'SafeTx',
    domain: { chainId, verifyingContract: safe },
    message: {
      to,
      value: String(value),
      data,
      operation: 0,
      safeTxGas: String(leastGas),
      baseGas: '0',
      gasPrice: '0',
      gasToken: noAddress,
      refundReceiver: noAddress,
      nonce: String(nonce),
    },
  });
}

/** Describes an action in readable lines. */
function describeAction(
  { safe_address, chain_id, kind, holder_id }: TreasuryRow,
  { kind: what, content, nonce }: Pick<ActionRow, 'kind' | 'content' | 'nonce'>,
): { summary: string[]; warnings: string[] } {
  const from = [
    `Wallet: ${safe_address} of the ${kind} ${holder_id}`,
    `Chain: ${chainInWords(`evm:${chain_id}`)}, ${chain_id}`,
    `Number: ${nonce}`,
  ];
  if (what === 'handoff')
    return {
      summary: [...from, `Hand over to: ${content.newOwner}`],
      warnings: ['After that, only that wallet can transfer the Safe’s funds. This server cannot undo it.'],
    };
  return { summary: [...from, `Send: ${describeAsset(content)}`, `To: ${content.to}`], warnings: [] };
}

function describeAsset({ standard, token, tokenId, amount }: ActionContent): string {
  switch (standard) {
    case 'erc20':
      return `${amount} units of the token ${token}`;
    case 'erc721':
      return `token ${tokenId} of ${token}`;
    case 'erc1155':
      return `${amount} of token ${tokenId} of ${token}`;
    default:
      return `${inCoins(amount ?? '')} of the chain's coin, ${amount} in its smallest unit`;
  }
}

/** Coins of EVM chains have 18 decimals. */
function inCoins(units: string): string {
  const digits = units.padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
}
