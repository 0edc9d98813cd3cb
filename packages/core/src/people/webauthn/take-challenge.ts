import { hashSecret } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { Ceremony, Challenge } from './challenge.ts';
import { takeSigned } from './challenge-token.ts';
import { deleteChallenge } from './queries.ts';

const isToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Uses a challenge up, before anything else of the answer is looked at: of many equal answers at once one gets it, and a
 * failed try does not leave it usable. Undefined when it is not ours, was used, is too old or of the other ceremony.
 */
export async function takeChallenge(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>,
  ceremony: Ceremony,
  challenge: string,
): Promise<Challenge | undefined> {
  const decoded = Buffer.from(challenge, 'base64url').toString('latin1');
  const taken = isToken.test(decoded) ? await takeSigned(ctx, decoded) : await takeStored(ctx, challenge);
  return taken?.ceremony === ceremony && taken.expiresAt > ctx.clock() ? taken : undefined;
}

async function takeStored(ctx: Pick<Context, 'db'>, challenge: string): Promise<Challenge | undefined> {
  const row = await deleteChallenge(ctx.db.system, hashSecret(challenge));
  return (
    row && {
      ceremony: row.ceremony,
      rpId: row.rp_id,
      userId: row.user_id ?? undefined,
      userVerification: row.user_verification,
      boundTo: row.bound_to ?? undefined,
      expiresAt: row.expires_at,
    }
  );
}
