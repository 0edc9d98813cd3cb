import type { Context } from '../../context.ts';
import { toDescriptor } from './credential.ts';
import { issueChallenge } from './issue-challenge.ts';
import { type AuthenticationOptions, type AuthenticationRequest, timeoutMs } from './options-records.ts';
import { listCredentials } from './queries.ts';
import { chooseRpId } from './relying-party.ts';

type OptionsContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'tx'>;

export async function generateAuthenticationOptions(
  ctx: OptionsContext,
  { userVerification = 'preferred', rpID, challenge: callerText, challengeFormat }: AuthenticationRequest,
): Promise<AuthenticationOptions> {
  const rpId = chooseRpId(ctx.settings.baseUrl, rpID);
  const userId = ctx.actor.kind === 'user' ? ctx.actor.userId : undefined;
  const own = userId === undefined ? undefined : await ctx.tx((tx) => listCredentials(tx, userId, rpId));
  const terms = { ceremony: 'authentication', rpId, userId, userVerification } as const;
  return {
    ...(await issueChallenge(ctx, terms, { format: challengeFormat, callerText })),
    timeout: timeoutMs,
    rpId,
    userVerification,
    allowCredentials: own?.filter((row) => row.suspicious_at === null).map(toDescriptor),
  };
}
