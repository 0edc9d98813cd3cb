import type { Context } from '../../shared/context.ts';
import { toDescriptor } from './credential.ts';
import { issueBoundChallenge } from './issue-challenge.ts';
import { type AuthenticationOptions, timeoutMs } from './options-records.ts';
import type { CredentialRow } from './queries.ts';

type OptionsContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings'>;

export interface ApprovalQuestion {
  userId: string;
  /** What is approved, as one line. The challenge is a hash of it. */
  boundTo: string;
  /** The passkeys that may respond, all of this user. */
  passkeys: readonly CredentialRow[];
}

/**
 * Returns the options with which a browser has one thing approved by a passkey; undefined without a suitable passkey.
 */
export async function generateApprovalOptions(
  ctx: OptionsContext,
  { userId, boundTo, passkeys }: ApprovalQuestion,
): Promise<AuthenticationOptions | undefined> {
  const { hostname } = new URL(ctx.settings.baseUrl);
  const rpId = (passkeys.find(({ rp_id }) => rp_id === hostname) ?? passkeys[0])?.rp_id;
  if (rpId === undefined) return undefined;
  const terms = { ceremony: 'authentication', rpId, userId, userVerification: 'preferred', boundTo } as const;
  return {
    ...(await issueBoundChallenge(ctx, terms)),
    timeout: timeoutMs,
    rpId,
    userVerification: terms.userVerification,
    allowCredentials: passkeys.filter(({ rp_id }) => rp_id === rpId).map(toDescriptor),
  };
}
