import type { JsonWebKey, KeyObject } from 'node:crypto';
import { AppError, addSeconds, notFound, principalId } from '@latchkey/kernel';
import { SignJWT } from 'jose';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { putMembers, selectMembers } from '../../communities/memberships/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { keptSecrets, type SecretContext } from '../../services/secrets/index.ts';
import { generateKey, publicJwk } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { dailyKudos, isKudosKind, maxWords } from './kudos.ts';
import { insertKudos, type KudosRow, lockGiver, selectGivenSince } from './queries.ts';

type GiveContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts' | 'keyring' | 'random' | 'settings' | 'tx'>;

export interface NewKudos {
  communityId: string;
  toUserId: string;
  kind: string;
  words: string;
}

const daySeconds = 24 * 60 * 60;

/**
 * Gives kudos to another member of a community. The kudos and their signed credential are stored together or not at
 * all.
 */
export async function giveKudos(ctx: GiveContext, { communityId, toUserId, kind, words }: NewKudos): Promise<KudosRow> {
  const fromUserId = principalId(ctx.actor);
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || (await memberOf(ctx, community, fromUserId)) === undefined)
    throw notFound('community');
  const reply = words.trim();
  if (!isKudosKind(kind) || reply === '' || reply.length > maxWords)
    throw new AppError(
      'VALIDATION_FAILED',
      `Invalid kudos. The kind can contain lower-case letters, digits and hyphens; the message can have up to ${maxWords} characters.`,
    );
  if (toUserId === fromUserId) throw new AppError('VALIDATION_FAILED', 'You cannot give kudos to yourself.');
  const receiver = await memberOf(ctx, community, toUserId);
  if (receiver === undefined) throw notFound('member');
  if (receiver.isBot) throw new AppError('VALIDATION_FAILED', 'You cannot give kudos to a bot.');
  const given = {
    id: ctx.random.id(),
    community_id: community.id,
    from_user_id: fromUserId,
    to_user_id: toUserId,
    kind,
    words: reply,
    given_at: ctx.clock(),
  };
  const row = { ...given, jwt: await signCredential(ctx, given, community.name) };
  await ctx.tx(async (tx) => {
    await lockGiver(tx, community.id, fromUserId);
    const since = addSeconds(row.given_at, -daySeconds);
    const earlier = await selectGivenSince(tx, community.id, fromUserId, since);
    if (earlier.length >= dailyKudos) throw tooMany(earlier[earlier.length - dailyKudos] ?? since, since);
    await insertKudos(tx, row);
  });
  return row;
}

function tooMany(oldest: Date, since: Date): AppError {
  return new AppError('RATE_LIMITED', `You can give kudos ${dailyKudos} times a day here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() - since.getTime()) / 1000)),
  });
}

/** Returns the stored member; an unknown one is looked up on the platform and stored. */
async function memberOf(
  ctx: Pick<Context, 'clock' | 'db' | 'hosts'>,
  { id, platform, community_id }: CommunityRow,
  userId: string,
): Promise<{ isBot: boolean } | undefined> {
  const [known] = await selectMembers(ctx.db.system, id, [userId]);
  if (known !== undefined && known.left_at === null) return { isBot: known.is_bot };
  const nativeId = nativeUserId(platform, userId);
  if (nativeId === undefined) return undefined;
  const host = ctx.hosts[platform];
  if (host === undefined) throw notConfigured(platform);
  const seen = await host.readMember(community_id, nativeId).catch((error: unknown) => {
    if (!(error instanceof PlatformFailed)) throw error;
    throw new AppError('UNAVAILABLE', error.message, {
      retryAfterSeconds: error.retryAfterSeconds ?? 30,
      cause: error,
    });
  });
  if (seen === undefined) return undefined;
  const { roleIds, isBot = false } = seen;
  await putMembers(ctx.db.system, id, [{ userId, roleIds, isBot }], ctx.clock());
  return { isBot };
}

/**
 * Signs kudos as a verifiable credential in the JWT form of the W3C's data model 1.1 (section 6.3.1): issuer, subject,
 * id and date are in the claims iss, sub, jti and nbf, and left out of `vc`.
 */
async function signCredential(
  ctx: SecretContext & Pick<Context, 'settings'>,
  kudos: Omit<KudosRow, 'jwt'>,
  communityName: string,
): Promise<string> {
  const { baseUrl } = ctx.settings;
  const [{ id: kid, privateKey }] = await issuerKeys(ctx);
  const subject = personUri(baseUrl, kudos.to_user_id);
  const vc = {
    // Terms of this server are in its own vocabulary, so that none is undefined to JSON-LD readers.
    '@context': ['https://www.w3.org/2018/credentials/v1', { '@vocab': `${baseUrl}/credentials/kudos#` }],
    type: ['VerifiableCredential', 'KudosCredential'],
    credentialSubject: {
      id: subject,
      userId: kudos.to_user_id,
      kudos: {
        kind: kudos.kind,
        words: kudos.words,
        from: { id: personUri(baseUrl, kudos.from_user_id), userId: kudos.from_user_id },
        community: { communityId: kudos.community_id, name: communityName },
      },
    },
  };
  return new SignJWT({ vc })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid })
    .setIssuer(issuerDid(ctx.settings))
    .setSubject(subject)
    .setJti(`${baseUrl}/credentials/kudos/${kudos.id}`)
    .setNotBefore(Math.floor(kudos.given_at.getTime() / 1000))
    .sign(privateKey);
}

// The data model requires a URI for the subject of a credential; this one resolves to the lookup.
function personUri(baseUrl: string, userId: string): string {
  return `${baseUrl}/kudos/users/${encodeURIComponent(userId)}`;
}

interface IssuerKey {
  /** The public id of the key: the DID and the thumbprint of the key. */
  id: string;
  privateKey: KeyObject;
  jwk: JsonWebKey;
}

/**
 * Returns the decentralized identifier of this server by the method did:web: its host, with the colon of a port
 * escaped, and the segments of its path.
 */
export function issuerDid({ baseUrl }: Pick<Context['settings'], 'baseUrl'>): string {
  const { host, pathname } = new URL(baseUrl);
  return ['did:web', encodeURIComponent(host), ...pathname.split('/').filter((part) => part !== '')].join(':');
}

/** Returns all keys that credentials were ever signed with, the current one first. */
async function issuerKeys(ctx: SecretContext & Pick<Context, 'settings'>): Promise<[IssuerKey, ...IssuerKey[]]> {
  const [current, ...older] = await keptSecrets(ctx, 'kudos.issuer');
  const did = issuerDid(ctx.settings);
  const toKey = ({ secret }: { secret: Uint8Array }): IssuerKey => {
    // The stored bytes are the whole key: any 32 bytes are an Ed25519 key.
    const { kid, publicKey, privateKey } = generateKey({ bytes: () => secret, id: () => '' }, 'action-ed25519');
    return { id: `${did}#${kid}`, privateKey, jwk: publicJwk(publicKey) };
  };
  return [toKey(current), ...older.map(toKey)];
}

/**
 * Returns what external verifiers read at /.well-known/did.json: the server's identity and the keys that sign its
 * credentials.
 */
export async function didDocument(ctx: SecretContext & Pick<Context, 'settings'>): Promise<Record<string, unknown>> {
  const did = issuerDid(ctx.settings);
  const keys = await issuerKeys(ctx);
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: keys.map(({ id, jwk }) => ({
      id,
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: { ...jwk, alg: 'EdDSA', use: 'sig' },
    })),
    assertionMethod: keys.map(({ id }) => id),
  };
}
