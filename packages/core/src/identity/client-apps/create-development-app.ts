import type { Context } from '../../shared/context.ts';
import { checkFields, checkScopes, ownerGrantTypes } from './check-fields.ts';
import type { ClientApplication, ClientType } from './client-app.ts';
import { register } from './register.ts';
import { actionOf, assertOperator } from './status.ts';

export interface DevelopmentApp {
  /** The future owner. */
  userId: string;
  name: string;
  scopes: readonly string[];
  /** The redirect URIs. Without any, the application only calls with its key. */
  redirectUris?: readonly string[];
  /** For an application that signs users in. Defaults to confidential. */
  clientType?: Exclude<ClientType, 'apiKey'>;
}

/** Creates an approved application whose key works at once, for the operator to try things out. */
export async function createDevelopmentApp(
  ctx: Pick<Context, 'actor' | 'tx' | 'clock' | 'random' | 'keyring'>,
  { userId, name, scopes, redirectUris = [], clientType = 'confidential' }: DevelopmentApp,
): Promise<ClientApplication> {
  assertOperator(ctx.actor);
  const logins = { clientType, redirectUris: [...redirectUris], allowedGrantTypes: grantTypesOf(clientType) };
  const fields = checkFields(
    { name, ...(redirectUris.length > 0 ? logins : { clientType: 'apiKey' }) },
    ownerGrantTypes,
  );
  const allowedScopes = checkScopes('scopes', scopes);
  return ctx.tx((tx) =>
    register(ctx, tx, {
      fields,
      ownerId: userId,
      ownerName: undefined,
      organizationId: undefined,
      status: 'APPROVED',
      allowedScopes,
      actions: [actionOf(ctx, 'create'), actionOf(ctx, 'approve', 'Created for development.')],
    }),
  );
}

/** A public application cannot authenticate itself, so it gets no token of its own. */
function grantTypesOf(clientType: ClientType): string[] {
  return ownerGrantTypes.filter((grantType) => clientType === 'confidential' || grantType !== 'client_credentials');
}
