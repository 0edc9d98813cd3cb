import { hashSecret } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import type { Ceremony, Challenge } from './challenge.ts';
import { openSigned } from './challenge-token.ts';
import { deleteChallenge, findChallenge } from './queries.ts';
import { type Doubt, refused } from './refused.ts';
import { acceptsOrigin } from './relying-party.ts';

export type OpenContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'log' | 'settings'>;

/** What a response must match: its challenge, and the page it came from, which has been checked. */
export interface Expected {
  challenge: string;
  origin: string;
  terms: Challenge;
}

/**
 * Verifies a response against its challenge and the page that it came from. The verdict consumes the challenge, so that
 * a failed attempt does not leave it usable; without a verdict, because something failed, it stays valid.
 */
export async function verifyResponse<Accepted extends object>(
  ctx: OpenContext,
  ceremony: Ceremony,
  clientDataJson: string,
  verify: (expected: Expected) => Promise<Accepted | Doubt>,
): Promise<Accepted> {
  const clientData = readClientData(clientDataJson);
  if (clientData === undefined) throw refused(ceremony, 'response');
  const { challenge, origin, crossOrigin } = clientData;
  const opened = await openChallenge(ctx, ceremony, challenge);
  if (opened === undefined) throw refused(ceremony, 'challenge');
  const { terms, useUp } = opened;
  // A page inside another site's frame could be disguised as a part of it.
  const isAllowed = crossOrigin !== true && (await acceptsOrigin(ctx, terms.rpId, origin));
  const verdict = isAllowed ? await verify({ challenge, origin, terms }) : 'origin';
  if (!(await useUp())) throw refused(ceremony, 'challenge');
  if (typeof verdict === 'string') throw refused(ceremony, verdict);
  return verdict;
}

interface ClientData {
  challenge: string;
  origin: string;
  crossOrigin: unknown;
}

function readClientData(encoded: string): ClientData | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    if (typeof value !== 'object' || value === null) return undefined;
    const { challenge, origin, crossOrigin } = value as Record<string, unknown>;
    if (typeof challenge !== 'string' || typeof origin !== 'string') return undefined;
    return { challenge, origin, crossOrigin };
  } catch {
    return undefined;
  }
}

const isToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

interface OpenChallenge {
  terms: Challenge;
  /**
   * Consumes it together with the verdict: of many concurrent equal responses one succeeds. Returns false for the
   * others.
   */
  useUp(): Promise<boolean>;
}

/** Returns a challenge that can be used. Undefined if it is not ours, has expired or is for the other ceremony. */
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
