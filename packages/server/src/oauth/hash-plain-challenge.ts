import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';

/** What RFC 7636 4.2 lets a challenge be. */
const challengeForm = /^[\w.~-]{43,128}$/;

/**
 * Lets confidential applications use the `plain` challenge, which is also what a challenge without a method is (RFC 7636
 * 4.3). It is hashed here, so that the provider compares and stores S256 alone. A public application is refused it: whoever
 * reads the address in the browser would have the verifier, and nothing else proves who exchanges the code.
 */
export function hashPlainChallenge(provider: Provider, authorizePath: string): Middleware {
  return async (ctx, next) => {
    const { client_id: clientId, code_challenge: challenge, code_challenge_method: method = 'plain' } = ctx.query;
    const isPlain = ctx.path === authorizePath && method === 'plain' && typeof challenge === 'string';
    if (isPlain && typeof clientId === 'string' && (await isConfidential(provider, clientId)))
      ctx.query = {
        ...ctx.query,
        // One of another form is left as it is, for the provider to say what is wrong with it.
        code_challenge: challengeForm.test(challenge)
          ? createHash('sha256').update(challenge).digest('base64url')
          : challenge,
        code_challenge_method: 'S256',
      };
    return next();
  };
}

async function isConfidential(provider: Provider, clientId: string): Promise<boolean> {
  const client = await provider.Client.find(clientId);
  return client !== undefined && client.clientAuthMethod !== 'none';
}
