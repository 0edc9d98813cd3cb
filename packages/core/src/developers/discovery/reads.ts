import type { ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { listPublicKeys, type PublicKey, publicJwk } from '../signing-keys/index.ts';
import type { Jwk, JwkSet } from './discovery.ts';

export async function getJwks(ctx: Pick<Context, 'clock' | 'db' | 'keyring'>): Promise<ValueOf<typeof JwkSet>> {
  return { keys: (await listPublicKeys(ctx, 'jwt')).map(toJwk) };
}

function toJwk({ kid, publicKey }: PublicKey): ValueOf<typeof Jwk> {
  const { kty = '', crv = '', x = '', y = '' } = publicJwk(publicKey);
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
}
