import { AppError, findScope, isScope, notFound, type Scope, scopes, splitScopes } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { groupScopes } from './scope.ts';

type Served = Pick<Context, 'resources'>;

export const maxIds = 50;

export function getScopes(ctx: Served) {
  return groupScopes(new Set(Object.keys(scopes).filter(isScope)), ctx.resources);
}

export function getScope(ctx: Served, { id }: { id: string }) {
  const [group] = groupScopes(new Set([ownName(id)]), ctx.resources);
  if (group === undefined) throw notFound('scope');
  return group;
}

export function getScopesFromIds(ctx: Served, { ids }: { ids: string }) {
  const names = splitScopes(ids);
  if (names.length === 0 || names.length > maxIds) {
    throw new AppError('INVALID_PARAMETER_VALUE', `List 1 to ${maxIds} scopes, separated by commas or spaces.`);
  }
  return groupScopes(new Set(names.map(ownName)), ctx.resources);
}

function ownName(id: string): Scope {
  const scope = findScope(id);
  if (scope === undefined) throw notFound(`scope: ${id.slice(0, 64)}`);
  return scope;
}
