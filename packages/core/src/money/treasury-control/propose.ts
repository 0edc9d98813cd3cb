import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type Asked, announceApproval, approvalTtlSeconds } from '../../people/hosted-wallets/index.ts';
import type { SafeCall, SafeState, Safes } from '../../ports/index.ts';
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
} from '../treasuries/index.ts';
import { describeAction } from './describe-action.ts';
import { askChain, getTreasury, requirePayment } from './own-treasury.ts';
import { type TreasuryAction, toAction } from './records.ts';
import { typedDataOf } from './safe-transaction.ts';

export type ProposeContext = Pick<
  Context,
  'actor' | 'clock' | 'db' | 'evmDigests' | 'keyring' | 'random' | 'safes' | 'settings' | 'tx' | 'wallets'
>;

const mostProposed = 20;

export interface Wish {
  kind: 'transfer' | 'hand-over';
  content: ActionContent;
  callOf(safes: Safes, treasury: TreasuryRow): SafeCall;
}

/** Writes down what the owner wishes, and what they must approve for it. Nothing is signed and nothing moves. */
export async function propose(ctx: ProposeContext, address: string, wish: Wish): Promise<TreasuryAction> {
  const treasury = await getTreasury(ctx, address);
  const safes = getSafes(ctx, treasury.chain_id);
  const userId = principalId(ctx.actor);
  await requirePayment(ctx, treasury, userId);
  const call = wish.callOf(safes, treasury);
  const { nonce } = await readOwned(ctx, safes, treasury, call);
  const transaction = { ...call, safe: treasury.safe_address, nonce, leastGas };
  const action = newAction(ctx, treasury, userId, {
    kind: wish.kind,
    state: 'proposed',
    content: wish.content,
    call: { ...call, value: String(call.value) },
    nonce: String(nonce),
    typed_data: typedDataOf(transaction, treasury.chain_id),
    expires_at: new Date(ctx.clock().getTime() + approvalTtlSeconds * 1000),
  });
  await ctx.db.transaction('system', async (tx) => {
    await lockTreasury(tx, treasury.safe_address);
    await deleteExpired(tx, treasury.safe_address, ctx.clock());
    if ((await countProposed(tx, treasury.safe_address)) >= mostProposed)
      throw new AppError('RATE_LIMITED', 'Too much waits for approval. Try again in a few minutes.', {
        retryAfterSeconds: approvalTtlSeconds,
      });
    await insertAction(tx, action);
  });
  return { ...toAction(action), approval: await announceApproval(ctx, askedOf(treasury, action)) };
}

/** The Safe as it is, if this server may move what it holds, nothing else is under way, and the call would succeed. */
export async function readOwned(
  ctx: Pick<Context, 'db'>,
  safes: Safes,
  treasury: TreasuryRow,
  call: SafeCall,
): Promise<SafeState> {
  const { safe_address, owner_address } = treasury;
  if ((await findOpen(ctx.db.system, safe_address, 'move')) !== undefined)
    throw new AppError('STATE_CONFLICT', 'Another transfer of this wallet is under way. Wait until it is done.');
  const state = await askChain(safes, (chain) => chain.readState(safe_address));
  const isOwner = ({ owners }: SafeState) =>
    owners.some((owner) => owner.toLowerCase() === owner_address.toLowerCase());
  if (state.isDeployed && !isOwner(state))
    throw new AppError(
      'STATE_CONFLICT',
      `This wallet belongs to ${state.owners.join(', ')}. Use that wallet to move what it holds.`,
    );
  if (call.value > state.balance)
    throw new AppError(
      'STATE_CONFLICT',
      `This wallet holds ${state.balance} in the smallest unit of the chain's coin, less than that.`,
    );
  // What a Safe does with itself can be tried only once it is there.
  if (call.to.toLowerCase() !== safe_address.toLowerCase() || state.isDeployed)
    await askChain(safes, (chain) => chain.rehearse(safe_address, call));
  return state;
}

/** What the owner approves, in their own name. */
export function askedOf(treasury: TreasuryRow, action: ActionRow): Asked {
  return {
    userId: action.asked_by_id,
    address: treasury.owner_address,
    clientId: undefined,
    purpose: 'typed-data',
    text: action.typed_data ?? '',
    description: describeAction(treasury, action),
  };
}
