import { notFound } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { type AskContext, askSigner, hashesOff, purposeOf, stepUpNeeded } from '../signer/index.ts';
import type { SignMessageRequest, SignMessageResponse } from './hosted-wallet.ts';
import { getPerson } from './owner.ts';
import { findWallet } from './queries.ts';
import { stepUp } from './step-up.ts';

type SignContext = AskContext & Pick<Context, 'actor' | 'keyring' | 'tx'>;

/** Has the caller's hosted wallet sign. The signer judges again all that is judged here, by its own rules. */
export async function signMessage(
  ctx: SignContext,
  { body }: { body: SignMessageRequest },
): Promise<SignMessageResponse> {
  const { userId, client } = getPerson(ctx.actor);
  const wallet = await ctx.tx((tx) => findWallet(tx, userId));
  const address = wallet?.address;
  if (address == null || address.toLowerCase() !== body.address.toLowerCase()) throw notFound('hosted wallet');
  const found = purposeOf(body.message);
  // What cannot be read is a message that the signer will refuse, in its own words.
  const purpose = found === 'unreadable' ? 'message' : found;
  if (purpose === 'hash') assertHashesAllowed(ctx, body.otp);
  const steppedUpAt =
    body.otp === undefined ? undefined : await stepUp(ctx, userId, body.otp, { mustRest: purpose === 'hash' });
  const { signature } = await askSigner(ctx, {
    kind: 'sign',
    userId,
    address,
    purpose,
    text: body.message,
    clientId: client?.id,
    steppedUpAt,
  });
  return { address, message: body.message, signature };
}

/** Before anything is used up that would be lost. */
function assertHashesAllowed(ctx: Pick<Context, 'settings'>, otp: string | undefined): void {
  if (!(ctx.settings.hostedWallets?.allowsHashes ?? false)) throw hashesOff();
  if (otp === undefined) throw stepUpNeeded();
}
