import type { Context } from '../../shared/context.ts';
import { findArtifact } from './artifact.ts';
import { canonicalScopes } from './requested-scopes.ts';

/** An application's authorization request, while the user signs in and decides. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
  /** The user the browser is logged in as; undefined when logged out. */
  userId: string | undefined;
  /** What the user is asked at the moment. */
  asks: 'login' | 'consent';
}

interface Interaction {
  exp?: number;
  params?: { client_id?: string; redirect_uri?: string; scope?: string };
  session?: { accountId?: string };
  prompt?: { name?: string };
}

/** Finds the open request with this slug. */
export async function findAuthorizationRequest(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  slug: string,
): Promise<AuthorizationRequest | undefined> {
  const found = asInteraction(await findArtifact(ctx, 'interaction', slug));
  if (found === undefined || (found.exp ?? 0) * 1000 <= ctx.clock().getTime()) return undefined;
  const { client_id, redirect_uri, scope = '' } = found.params ?? {};
  if (client_id === undefined || redirect_uri === undefined) return undefined;
  return {
    clientId: client_id,
    redirectUri: redirect_uri,
    scopes: canonicalScopes(scope),
    userId: found.session?.accountId,
    asks: found.prompt?.name === 'login' ? 'login' : 'consent',
  };
}

// Sealed content was written by the provider library, in the shape of its interactions.
function asInteraction(content: unknown): Interaction | undefined {
  return content as Interaction | undefined;
}
