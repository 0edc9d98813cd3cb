import type { Tx } from '@latchkey/db';
import { AppError, isLimited, scopesOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { verifying } from '../../port-guards/index.ts';
import { noticeWayIn } from '../security-notices/index.ts';
import { assertRoomForOne } from './credential.ts';
import { judgeAttestation, type NewPasskey } from './judge-attestation.ts';
import { judgeResponse, type OpenContext } from './open-response.ts';
import { insertCredential, listCredentials, lockUser } from './queries.ts';
import { getRegistrant, refuseStandIn, type User } from './registrant.ts';
import type { RegistrationResponse } from './response-records.ts';

type RegistrationContext = OpenContext & Pick<Context, 'random' | 'tx'>;

export async function verifyRegistrationResponse(
  ctx: RegistrationContext,
  { body }: { body: RegistrationResponse },
): Promise<{ verified: true }> {
  const user = getRegistrant(ctx.actor);
  refuseStandIn(user);
  const { passkey, rpId } = await judgeResponse(
    ctx,
    'registration',
    body.response.clientDataJSON,
    async ({ challenge, origin, terms }) => {
      if (terms.userId !== user.userId) return 'challenge';
      const expected = { challenge, origin, rpId: terms.rpId, mustVerifyUser: terms.userVerification === 'required' };
      const made = await verifying(ctx, 'passkeys', () => judgeAttestation(body, expected));
      return made === undefined ? 'response' : { passkey: made, rpId: terms.rpId };
    },
  );
  await ctx.tx((tx) => keep(ctx, tx, { user, rpId, passkey, body }));
  return { verified: true };
}

interface Registration {
  user: User;
  rpId: string;
  passkey: NewPasskey;
  body: RegistrationResponse;
}

async function keep(ctx: RegistrationContext, tx: Tx, { user, rpId, passkey, body }: Registration): Promise<void> {
  await lockUser(tx, user.userId);
  const known = await listCredentials(tx, user.userId, undefined);
  assertRoomForOne(known);
  const isNew = await insertCredential(tx, {
    id: ctx.random.id(),
    user_id: user.userId,
    platform: user.platform,
    user_name: user.name ?? null,
    scopes: scopesOf(user),
    rp_id: rpId,
    credential_id: passkey.credentialId,
    public_key: passkey.publicKey,
    counter: passkey.counter,
    device_type: passkey.deviceType,
    is_backed_up: passkey.isBackedUp,
    is_user_verified: passkey.isUserVerified,
    is_resident: body.clientExtensionResults?.credProps?.rk ?? null,
    transports: body.response.transports ?? [],
    attachment: body.authenticatorAttachment ?? null,
    name: body.name ?? 'Passkey',
    user_agent: body.userAgent ?? null,
    created_at: ctx.clock(),
    suspicious_at: null,
    client_id: isLimited(user) ? (user.client?.id ?? null) : null,
  });
  if (!isNew) throw new AppError('STATE_CONFLICT', 'This passkey is registered already.');
  await noticeWayIn(tx, user.userId, 'passkey-added');
}
