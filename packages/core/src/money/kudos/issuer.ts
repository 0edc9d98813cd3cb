import type { JsonWebKey, KeyObject } from 'node:crypto';
import type { Context } from '../../context.ts';
import { generateKey, publicJwk } from '../../developers/signing-keys/index.ts';
import { keptSecrets, type SecretContext } from '../../machinery/kept-secrets/index.ts';

interface IssuerKey {
  /** Names the key outside: the DID and the thumbprint of the key. */
  id: string;
  privateKey: KeyObject;
  jwk: JsonWebKey;
}

/**
 * The decentralized identifier of this server by the method did:web: its host, with the colon of a port escaped, and the
 * parts of its path.
 */
export function issuerDid({ baseUrl }: Pick<Context['settings'], 'baseUrl'>): string {
  const { host, pathname } = new URL(baseUrl);
  return ['did:web', encodeURIComponent(host), ...pathname.split('/').filter((part) => part !== '')].join(':');
}

/** The keys that credentials were ever signed with, the one in use first. */
export async function issuerKeys(ctx: SecretContext & Pick<Context, 'settings'>): Promise<[IssuerKey, ...IssuerKey[]]> {
  const [current, ...older] = await keptSecrets(ctx, 'kudos.issuer');
  const did = issuerDid(ctx.settings);
  const toKey = ({ secret }: { secret: Uint8Array }): IssuerKey => {
    // The kept bytes are the whole key: an Ed25519 key is made of any 32 of them.
    const { kid, publicKey, privateKey } = generateKey({ bytes: () => secret, id: () => '' }, 'action-ed25519');
    return { id: `${did}#${kid}`, privateKey, jwk: publicJwk(publicKey) };
  };
  return [toKey(current), ...older.map(toKey)];
}

/** What outside verifiers read at /.well-known/did.json: who this server is and which keys it signs credentials with. */
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
