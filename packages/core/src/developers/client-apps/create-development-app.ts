import type { Context } from '../../context.ts';
import { checkFields, checkScopes, ownerGrantTypes } from './check-fields.ts';
import type { ClientApplication } from './client-app.ts';
import { register } from './register.ts';
import { actionOf, assertOperator } from './status.ts';

export interface DevelopmentApp {
  /** Who will own it. */
  userId: string;
  name: string;
  scopes: readonly string[];
}

/** An approved application with a key that works at once, made by the operator for trying things out. */
export async function createDevelopmentApp(
  ctx: Pick<Context, 'actor' | 'tx' | 'clock' | 'random' | 'keyring'>,
  { userId, name, scopes }: DevelopmentApp,
): Promise<ClientApplication> {
  assertOperator(ctx.actor);
  const fields = checkFields({ name, clientType: 'apiKey' }, ownerGrantTypes);
  const allowedScopes = checkScopes('scopes', scopes);
  return ctx.tx((tx) =>
    register(ctx, tx, {
      fields,
      ownerId: userId,
      ownerName: undefined,
      organizationId: undefined,
      status: 'APPROVED',
      allowedScopes,
      actions: [actionOf(ctx, 'create'), actionOf(ctx, 'approve', 'Made for development.')],
    }),
  );
}
