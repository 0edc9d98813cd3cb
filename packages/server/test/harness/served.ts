import { resources } from '@latchkey/core';
import type { Operation, Resource } from '@latchkey/kernel';

/** Every operation that the server serves, without the types that only its own verb needs. */
export const served: readonly Operation[] = (resources as readonly Resource[]).flatMap(({ operations }) => operations);

/** Public: credentials are ignored. */
export function isOpen({ contract }: Pick<Operation, 'contract'>): boolean {
  return contract.access.roles.length === 0;
}

/** Works without a credential too, but refuses a wrong one. */
export function needsNoCredential({ contract }: Pick<Operation, 'contract'>): boolean {
  return contract.access.roles.includes('$anonymous');
}

/** Closed to users: for the operator and, at most, for applications with a scope that the operator granted. */
export function isOperatorOnly({ contract }: Pick<Operation, 'contract'>): boolean {
  const { roles } = contract.access;
  return roles.includes('$admin') && !roles.includes('$user_account');
}

/** Returns the scopes of which a caller needs one; empty if the role alone decides. */
export function scopesOf({ contract }: Pick<Operation, 'contract'>): readonly string[] {
  return contract.access.scopes.filter((scope) => scope !== '$public');
}

/** Open only through an application that is marked as the operator's own. */
export function isInternalOnly(operation: Pick<Operation, 'contract'>): boolean {
  return scopesOf(operation).length > 0 && scopesOf(operation).every((scope) => scope === '$internal');
}

/** Open to callers that know an unguessable id: the id in the path is the credential. */
export function isByKnowledge(operation: Pick<Operation, 'contract'>): boolean {
  return isOpen(operation) && operation.contract.access.scopes.length === 0;
}

/** Served by the OAuth2 provider, in the formats of RFC 6749. */
export function isMounted({ contract }: Pick<Operation, 'contract'>): boolean {
  return contract.mounted === true;
}

/** Requires no scope, so that no token of an application can call it. */
export function isClosedToTokens(operation: Pick<Operation, 'contract'>): boolean {
  const { roles, scopes, limited } = operation.contract.access;
  return roles.length > 0 && !roles.includes('$anonymous') && scopes.length === 0 && limited === undefined;
}
