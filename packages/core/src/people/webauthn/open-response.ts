import type { Context } from '../../context.ts';
import type { Ceremony, Challenge } from './challenge.ts';
import { refused } from './refused.ts';
import { acceptsOrigin } from './relying-party.ts';
import { takeChallenge } from './take-challenge.ts';

export type OpenContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'settings'>;

/** What an answer has to fit: the challenge it was given, and the page it came from, which was found to be allowed. */
export interface Expected {
  challenge: string;
  origin: string;
  terms: Challenge;
}

/** Takes the challenge that an answer is for and checks the page it came from. */
export async function openResponse(ctx: OpenContext, ceremony: Ceremony, clientDataJson: string): Promise<Expected> {
  const clientData = readClientData(clientDataJson);
  if (clientData === undefined) throw refused(ceremony, 'response');
  const { challenge, origin, crossOrigin } = clientData;
  const terms = await takeChallenge(ctx, ceremony, challenge);
  if (terms === undefined) throw refused(ceremony, 'challenge');
  // A page inside a foreign page could be made to look like a part of it.
  if (crossOrigin === true || !(await acceptsOrigin(ctx, terms.rpId, origin))) throw refused(ceremony, 'origin');
  return { challenge, origin, terms };
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
