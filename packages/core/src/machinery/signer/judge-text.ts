import { effectHere } from './own-texts.ts';
import { hashesOff, linksElsewhere, logsInHere } from './refusals.ts';
import type { Purpose } from './request.ts';
import type { SigningPolicy } from './signer-context.ts';

export interface TextToSign {
  userId: string;
  purpose: Purpose;
  text: string;
}

/**
 * Refuses what a wallet must not sign for anybody, and tells whether its user must approve this very text. Servers ask
 * before they trouble the person, and the signer asks again by its own configuration.
 */
export function judgeText(
  { userId, purpose, text }: TextToSign,
  { allowsHashes, ownHosts }: Pick<SigningPolicy, 'allowsHashes' | 'ownHosts'>,
): { needsApproval: boolean } {
  if (purpose === 'hash') {
    if (!allowsHashes) throw hashesOff();
    return { needsApproval: true };
  }
  const effect = effectHere(text, { userId, hosts: ownHosts });
  if (effect === 'login') throw logsInHere();
  if (effect === 'foreign-link') throw linksElsewhere();
  return { needsApproval: purpose === 'typed-data' || effect === 'own-link' };
}
