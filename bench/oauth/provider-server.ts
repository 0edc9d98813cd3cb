/**
 * The second baseline of the OAuth2 benchmark: the unmodified provider library with its own in-memory store, which shows what our rules and
 * the database cost.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const port = Number(process.env.LATCHKEY_PORT);
const clientId = String(process.env.BENCH_CLIENT_ID);
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: clientId,
      client_secret: String(process.env.BENCH_CLIENT_SECRET),
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: [String(process.env.BENCH_SCOPE)],
  ttl: { ClientCredentials: 3600 },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  cookies: { keys: [createHash('sha256').update(clientId).digest('hex')] },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    devInteractions: { enabled: false },
  },
});
provider.listen(port, '127.0.0.1');
