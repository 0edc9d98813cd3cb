import { AppError, notFound, principalId } from '@latchkey/kernel';
import { type Approval, getApproval } from '../../identity/hosted-wallets/index.ts';
import { askSigner } from '../../services/signer/index.ts';
import {
  beginMove,
  findAction,
  findOpen,
  getSafes,
  lockTreasury,
  signerUserOf,
  type TreasuryRow,
} from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';
import { getTreasury, requirePayment } from './own-treasury.ts';
import { type ProposeContext, readOwned, signingRequestOf } from './propose.ts';
import { type TreasuryAction, toAction } from './records.ts';

type ApproveContext = ProposeContext & Pick<Context, 'bus'>;

/**
 * Has the signer sign what the wallet's owner proposed, after a fresh proof by the owner, and sends it. It is signed
 * for one nonce of the Safe, so that it cannot be executed twice.
 */
export async function approveTreasuryAction(
  ctx: ApproveContext,
  { address, actionId, body: { otp } }: { address: string; actionId: string; body: { otp: string } },
): Promise<TreasuryAction> {
  const treasury = await getTreasury(ctx, address);
  const { action, call } = await getProposed(ctx, treasury, actionId);
  await requirePayment(ctx, treasury, principalId(ctx.actor));
  const state = await readOwned(ctx, getSafes(ctx, treasury.chain_id), treasury, call);
  if (String(state.nonce) !== action.nonce)
    throw new AppError('STATE_CONFLICT', 'This wallet sent a transaction in the meantime. Propose it again.');
  const approval = await getApproval(ctx, signingRequestOf(treasury, action), otp);
  const signature = await sign(ctx, treasury, action.typed_data ?? '', approval);
  await ctx.db.transaction('system', async (tx) => {
    await lockTreasury(tx, treasury.safe_address);
    if ((await findOpen(tx, treasury.safe_address, 'move')) !== undefined)
      throw new AppError('STATE_CONFLICT', 'Another transfer from this wallet is in progress. Wait until it finishes.');
    await beginMove(ctx, tx, treasury, action, { signature, isDeployed: state.isDeployed });
  });
  const begun = await findAction(ctx.db.system, action.id);
  return toAction(begun ?? action);
}

/** Returns a proposal of the caller that is not approved yet. Only the proposer can approve it here. */
async function getProposed(ctx: ApproveContext, { safe_address }: TreasuryRow, actionId: string) {
  const action = await findAction(ctx.db.system, actionId);
  const isTheirs = action?.safe_address === safe_address && action.requested_by_id === principalId(ctx.actor);
  if (action === undefined || !isTheirs) throw notFound('action');
  if (action.state !== 'proposed') throw new AppError('STATE_CONFLICT', 'This action is already approved.');
  if (action.call === null || action.expires_at === null || action.expires_at <= ctx.clock())
    throw new AppError('STATE_CONFLICT', 'This proposal has expired. Propose it again.');
  return { action, call: { ...action.call, value: BigInt(action.call.value) } };
}

async function sign(ctx: ApproveContext, treasury: TreasuryRow, text: string, approval: Approval): Promise<string> {
  const { kind, holder_id: id, owner_address } = treasury;
  const { signature } = await askSigner(ctx, {
    kind: 'sign',
    userId: signerUserOf({ kind, id }),
    address: owner_address,
    purpose: 'typed-data',
    text,
    clientId: undefined,
    steppedUpAt: approval.provedAt,
    approvedDigest: approval.digest,
  });
  return signature;
}
