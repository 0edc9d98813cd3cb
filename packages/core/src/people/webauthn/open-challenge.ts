import { hashSecret } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { Ceremony, Challenge } from './challenge.ts';
import { openSigned } from './challenge-token.ts';
import { deleteChallenge, findChallenge } from './queries.ts';

const isToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export interface OpenChallenge {
  terms: Challenge;
  /** Uses it up, with the verdict on its answer: of many equal answers at once one gets it. False for the others. */
  useUp(): Promise<boolean>;
}

/** A challenge that can be answered. Undefined when it is not ours, is too old or of the other ceremony. */
export async function openChallenge(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>,
  ceremony: Ceremony,
  challenge: string,
): Promise<OpenChallenge | undefined> {
  const decoded = Buffer.from(challenge, 'base64url').toString('latin1');
  const opened = isToken.test(decoded) ? await openSigned(ctx, decoded) : await openStored(ctx, challenge);
  return opened?.terms.ceremony === ceremony && opened.terms.expiresAt > ctx.clock() ? opened : undefined;
}

async function openStored(ctx: Pick<Context, 'db'>, challenge: string): Promise<OpenChallenge | undefined> {
  const hash = hashSecret(challenge);
  const row = await findChallenge(ctx.db.system, hash);
  return (
    row && {
      terms: {
        ceremony: row.ceremony,
        rpId: row.rp_id,
        userId: row.user_id ?? undefined,
        userVerification: row.user_verification,
        boundTo: row.bound_to ?? undefined,
        expiresAt: row.expires_at,
      },
      useUp: () => deleteChallenge(ctx.db.system, hash),
    }
  );
}
