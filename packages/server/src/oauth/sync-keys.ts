import { currentKey, listPublicKeys, publicJwk, type Services, signingAlg } from '@latchkey/core';
import type Provider from 'oidc-provider';
import instance from 'oidc-provider/lib/helpers/weak_cache.js';

/**
 * Gives the provider the keys of the database: the current one to sign with, and the retired ones to recognise its own
 * id tokens by. Called before every request, it makes a rotation take effect without a restart.
 */
export function keySynchronizer(provider: Provider, services: Services): () => Promise<void> {
  let known = '';
  const { keystore } = instance(provider);
  return async () => {
    const [current, published] = await Promise.all([currentKey(services, 'jwt'), listPublicKeys(services, 'jwt')]);
    const wanted = [current.kid, ...published.map(({ kid }) => kid)].join(' ');
    if (wanted === known) return;
    // Nothing is awaited from here on, so that no request sees half of it.
    keystore.clear();
    const common = { alg: signingAlg, use: 'sig' };
    keystore.add({ ...current.privateKey.export({ format: 'jwk' }), ...common, kid: current.kid });
    for (const { kid, publicKey } of published.filter((key) => key.kid !== current.kid))
      keystore.add({ ...publicJwk(publicKey), ...common, kid, key_ops: ['verify'] });
    known = wanted;
  };
}
