import type { Context } from '../../shared/context.ts';
import { assertRoomForOne, toDescriptor } from './credential.ts';
import { issueChallenge } from './issue-challenge.ts';
import { algorithms, type RegistrationOptions, type RegistrationRequest, timeoutMs } from './options-records.ts';
import { getUserHandle, listCredentials } from './queries.ts';
import { getRegistrant } from './registrant.ts';
import { chooseRpId } from './relying-party.ts';

type OptionsContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'tx'>;

const handleBytes = 32;

export async function generateRegistrationOptions(
  ctx: OptionsContext,
  { userVerification = 'preferred', requireResidentKey, residentKey, rpID, challengeFormat }: RegistrationRequest,
): Promise<RegistrationOptions> {
  const { userId, name = userId } = getRegistrant(ctx.actor);
  const rpId = chooseRpId(ctx.settings.baseUrl, rpID);
  const { handle, known } = await ctx.tx(async (tx) => ({
    handle: await getUserHandle(tx, userId, Buffer.from(ctx.random.bytes(handleBytes)).toString('base64url')),
    known: await listCredentials(tx, userId, undefined),
  }));
  assertRoomForOne(known);
  const terms = { ceremony: 'registration', rpId, userId, userVerification } as const;
  const wanted = residentKey ?? (requireResidentKey === 'false' ? 'discouraged' : 'required');
  return {
    ...(await issueChallenge(ctx, terms, { format: challengeFormat })),
    timeout: timeoutMs,
    rp: { id: rpId, name: ctx.settings.serviceName },
    user: { id: handle, name, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
    attestation: 'none',
    excludeCredentials: known.filter((row) => row.rp_id === rpId).map(toDescriptor),
    authenticatorSelection: {
      residentKey: wanted,
      requireResidentKey: wanted === 'required',
      userVerification,
    },
    extensions: { credProps: true },
  };
}
