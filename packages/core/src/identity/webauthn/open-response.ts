import { hashSecret } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import type { Ceremony, Challenge } from './challenge.ts';
import { openSigned } from './challenge-token.ts';
import { deleteChallenge, findChallenge } from './queries.ts';
import { type Doubt, refused } from './refused.ts';
import { acceptsOrigin } from './relying-party.ts';

export type OpenContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'log' | 'settings'>;

/** What an answer has to fit: the challenge it was given, and the page it came from, which was found to be allowed. */
export interface Expected {
  challenge: string;
  origin: string;
  terms: Challenge;
}

/**
 * Has an answer evaluated against the challenge that it is for and the page that it came from. The verdict uses the challenge
 * up, so that a failed try does not leave it usable; where there is none, because something failed, it stays.
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
  // A page inside a foreign page could be made to look like a part of it.
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
