import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type AskContext, askSigner, judgeText, ownHostsOf, purposeOf } from '../../machinery/signer/index.ts';
import { type Asked, getApproval } from './approval.ts';
import type { SignMessageRequest, SignMessageResponse } from './hosted-wallet.ts';
import { getPerson, type Person } from './owner.ts';
import { findWallet } from './queries.ts';
import { assertDomainAllowed } from './signing-domains.ts';
import { stepUp } from './step-up.ts';
import { readTypedData } from './typed-data.ts';

type SignContext = AskContext & Pick<Context, 'actor' | 'evmDigests' | 'keyring' | 'tx'>;

/** Has the caller's hosted wallet sign. The signer judges again all that is judged here, by its own rules. */
export async function signMessage(
  ctx: SignContext,
  { body }: { body: SignMessageRequest },
): Promise<SignMessageResponse> {
  const person = getPerson(ctx.actor);
  const { userId, client } = person;
  const wallet = await ctx.tx((tx) => findWallet(tx, userId));
  const address = wallet?.address;
  if (address == null || address.toLowerCase() !== body.address.toLowerCase()) throw notFound('hosted wallet');
  const found = purposeOf(body.message);
  // What cannot be read is a message that the signer will refuse, in its own words.
  const purpose = found === 'unreadable' ? 'message' : found;
  const asked = { userId, address, clientId: client?.id, purpose, text: body.message };
  const proof = await prove(ctx, person, asked, body.otp);
  const { signature } = await askSigner(ctx, { kind: 'sign', ...asked, ...proof });
  return { address, message: body.message, signature };
}

interface SigningProof {
  steppedUpAt: Date | undefined;
  approvedDigest: string | undefined;
}

/** Whatever is refused anyway is refused before a person is troubled or a proof is used up. */
async function prove(ctx: SignContext, person: Person, asked: Asked, otp: string | undefined): Promise<SigningProof> {
  const { needsApproval } = judgeText(asked, {
    allowsHashes: ctx.settings.hostedWallets?.allowsHashes ?? false,
    ownHosts: ownHostsOf(ctx.settings.baseUrl),
  });
  if (needsApproval) {
    if (asked.purpose === 'typed-data') await assertTypedDataAllowed(ctx, person, asked.text);
    const { digest, provedAt } = await getApproval(ctx, asked, otp);
    return { steppedUpAt: provedAt, approvedDigest: digest };
  }
  const steppedUpAt = otp === undefined ? undefined : await stepUp(ctx, asked.userId, otp, { mustRest: false });
  return { steppedUpAt, approvedDigest: undefined };
}

async function assertTypedDataAllowed(ctx: SignContext, person: Person, text: string): Promise<void> {
  // Only what has a digest can be read for certain; the rest is refused by whoever asks for the digest.
  if ((await ctx.evmDigests.typedDataDigest(text)) !== undefined)
    await assertDomainAllowed(ctx, person, readTypedData(text));
}
