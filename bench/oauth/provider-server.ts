/**
 * The second baseline of the OAuth2 benchmark: the unmodified provider library with its own in-memory store, which shows what our rules and
 * the database cost.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const port = Number(process.env.LATCHKEY_PORT);
const clients: { id: string; secret: string }[] = JSON.parse(String(process.env.BENCH_CLIENTS));
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: clients.map(({ id, secret }) => ({
    client_id: id,
    client_secret: secret,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    id_token_signed_response_alg: 'ES256',
  })),
  scopes: [String(process.env.BENCH_SCOPE)],
  ttl: { ClientCredentials: 3600 },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  cookies: { keys: [createHash('sha256').update(String(port)).digest('hex')] },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    devInteractions: { enabled: false },
  },
});
provider.listen(port, '127.0.0.1');
