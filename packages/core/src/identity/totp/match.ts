import type { Tx } from '@latchkey/db';
import { verifying } from '../../port-guards/index.ts';
import { notifyLoginMethodAdded } from '../../services/security-notices/index.ts';
import { burnStep, findStep, secretPlace } from './enrolment.ts';
import type { CheckContext, Verdict } from './guard-tries.ts';
import { type Enrolment, updateEnrolment } from './queries.ts';

type RightMatch = { verdict: 'right'; enrolment: Enrolment; step: number };
export type Match = RightMatch | { verdict: Exclude<Verdict, 'right'> };

/**
 * Finds the app whose code this is. A code that one app has used may be a fresh one of another. If a secret cannot be
 * decrypted, the check fails as unavailable, and no attempt is counted.
 */
export function findMatch(
  ctx: Pick<CheckContext, 'keyring' | 'log'>,
  candidates: readonly Enrolment[],
  code: string,
  now: Date,
): Promise<Match> {
  return verifying(ctx, 'authenticators', () => compareCode(ctx, candidates, code, now));
}

function compareCode(
  ctx: Pick<CheckContext, 'keyring'>,
  candidates: readonly Enrolment[],
  code: string,
  now: Date,
): Match {
  let verdict: Exclude<Verdict, 'right'> = 'wrong';
  for (const enrolment of candidates) {
    if (enrolment.secret === null) continue;
    const secret = ctx.keyring.open(secretPlace(enrolment.user_id, enrolment.request_id), enrolment.secret);
    const step = findStep(secret, code, now);
    if (step === undefined) continue;
    if (!enrolment.used_steps.includes(step)) return { verdict: 'right', enrolment, step };
    verdict = 'used';
  }
  return { verdict };
}

/**
 * Consumes the code. The first code of an app activates the app and notifies the account's owner: every path that can
 * confirm an app ends here, so none can do it silently.
 */
export async function accept(tx: Tx, { enrolment, step }: RightMatch, now: Date): Promise<void> {
  await updateEnrolment(tx, enrolment, { state: 'confirmed', used_steps: burnStep(enrolment.used_steps, step, now) });
  if (enrolment.state === 'pending') await notifyLoginMethodAdded(tx, enrolment.user_id, 'authenticator-added');
}
