import { credentialKinds, observed } from '@latchkey/kernel';
import { CompactEncrypt, SignJWT } from 'jose';
import { recordAudit } from '../../services/audit/index.ts';
import { currentKey } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  type AeContext,
  type AeUser,
  aeKeyPurpose,
  aeTokenType,
  maxAeTokenLength,
  maxAeTtlSeconds,
} from './ae-token.ts';
import { insertSession } from './session-queries.ts';

/**
 * Issues a token that identifies a user: signed, so that any process can verify it, and encrypted, so that only ours
 * can read it. It is listed as a session of the user, who can end it.
 */
export async function issueAeToken(
  ctx: AeContext & Pick<Context, 'random'>,
  user: AeUser & { ttlSeconds: number },
): Promise<string> {
  if (!(user.ttlSeconds > 0 && user.ttlSeconds <= maxAeTtlSeconds)) {
    throw new Error(`An AE token is valid for 1 to ${maxAeTtlSeconds} seconds, not ${user.ttlSeconds}.`);
  }
  const id = ctx.random.id();
  const issuedAt = Math.floor(ctx.clock().getTime() / 1000);
  const token = await encrypt(ctx, await sign(ctx, user, id, issuedAt));
  if (token.length > maxAeTokenLength) throw new Error('The name or the scopes are too long for an AE token.');
  await insertSession(ctx.db.system, {
    id,
    user_id: user.userId,
    credential: user.credential,
    client_id: user.clientId ?? null,
    scopes: [...user.scopes],
    created_at: ctx.clock(),
    expires_at: new Date((issuedAt + user.ttlSeconds) * 1000),
  });
  await recordAudit(ctx.db.system, {
    at: ctx.clock(),
    who: user.userId,
    through: credentialKinds[user.credential].through === 'command line' ? 'command-line' : 'page',
    action: 'session.create',
    target: id,
    requestId: ctx.origin?.requestId,
    fromAddress: ctx.origin?.address,
    details: { kind: user.credential, ...(user.clientId !== undefined && { clientId: user.clientId }) },
  });
  observed.signIn.record({ method: user.credential });
  return token;
}

async function sign(
  ctx: AeContext,
  user: AeUser & { ttlSeconds: number },
  id: string,
  issuedAt: number,
): Promise<string> {
  const { kid, privateKey } = await currentKey(ctx, 'jwt');
  const { platform, name, purpose, credential, presence, clientId } = user;
  const seen = presence && { seen_by: presence.how, seen_at: Math.floor(presence.at.getTime() / 1000) };
  const claims = { platform, name, purpose, credential, azp: clientId, ...seen };
  return new SignJWT({ ...claims, scope: user.scopes.join(' ') })
    .setProtectedHeader({ alg: 'ES256', kid, typ: aeTokenType })
    .setSubject(user.userId)
    .setIssuer(ctx.settings.baseUrl)
    .setAudience(ctx.settings.baseUrl)
    .setJti(id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + user.ttlSeconds)
    .sign(privateKey);
}

function encrypt(ctx: AeContext, signed: string): Promise<string> {
  const [current] = ctx.keyring.derive(aeKeyPurpose);
  if (current === undefined) throw new Error('The keyring is empty.');
  return new CompactEncrypt(Buffer.from(signed))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.id, cty: 'JWT' })
    .encrypt(current.key);
}
