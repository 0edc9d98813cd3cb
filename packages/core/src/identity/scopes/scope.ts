import {
  AppError,
  findScope,
  isScope,
  notFound,
  type Operation,
  type Resource,
  record,
  type Scope,
  type ScopeInfo,
  scopes,
  splitScopes,
  splitSdk,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

const ApiEndpointFields = {
  controller: T.Optional(text('The group of the SDK that the operation is in.')),
  method: T.Optional(text('The method of that group that calls the operation.')),
  verb: T.Optional(text('The HTTP method in lower case.', { maxLength: 16 })),
  path: T.Optional(text('The path, with its parameters in braces.')),
  tags: T.Optional(T.Array(T.String({ maxLength: 100 }), { description: 'The tags of the operation.', maxItems: 10 })),
};

const ApiEndpoint = record('ApiEndpoint', 'One operation of this server.', ApiEndpointFields);

function endpoints(description: string) {
  return T.Optional(T.Array(ApiEndpoint, { description, maxItems: 1000 }));
}

const ScopeRecord = record('Scope', 'A permission that tokens and client applications carry.', {
  id: text('The name to use in an authorization request.', { maxLength: 64 }),
  group: text('The group the scope belongs to.', { maxLength: 64 }),
  description: text('What the scope allows, in plain words for the user who is asked to grant it.'),
  endpoints: endpoints('The operations that the scope allows.'),
});

export const ScopeGroup = record('ScopeGroup', 'A group of related scopes.', {
  group: text('The name of the group.', { maxLength: 64 }),
  scopes: T.Array(ScopeRecord, { description: 'The scopes of the group.', maxItems: 100 }),
  endpoints: endpoints('The operations that one or more of these scopes allow.'),
});

type Endpoint = Required<ValueOf<typeof ApiEndpoint>>;

/** Returns the requested scopes with the operations they allow, by group, in the order of the closed list. */
function groupScopes(wanted: ReadonlySet<Scope>, resources: readonly Resource[]): ValueOf<typeof ScopeGroup>[] {
  const groups = new Map<string, Scope[]>();
  for (const [scope, { group }] of allScopes) {
    if (wanted.has(scope)) groups.set(group, [...(groups.get(group) ?? []), scope]);
  }
  return [...groups].map(([group, members]) => ({
    group,
    scopes: members.map((id) => ({
      id,
      group,
      description: scopes[id].description,
      endpoints: endpointsOf([id], resources),
    })),
    endpoints: endpointsOf(members, resources),
  }));
}

// Object.entries loses the type of the keys.
const allScopes = Object.entries(scopes) as [Scope, ScopeInfo][];

function endpointsOf(held: readonly Scope[], resources: readonly Resource[]): Endpoint[] {
  return resources.flatMap((resource) =>
    resource.operations
      .filter(({ contract }) => held.some((scope) => opens(scope, contract.access.scopes)))
      .map((operation) => endpointOf(operation, resource.name)),
  );
}

/** `$all` means every scope, but covers neither public operations nor those reserved for the operator. */
function opens(scope: Scope, needed: readonly Scope[]): boolean {
  if (scope === '$all') return !needed.includes('$public') && needed.some((one) => one !== '$internal');
  return needed.includes(scope);
}

function endpointOf(operation: Operation, resourceName: string): Endpoint {
  const { controller, method } = splitSdk(operation) ?? { controller: resourceName, method: operation.contract.id };
  return {
    controller,
    method,
    verb: operation.method.toLowerCase(),
    path: operation.path,
    tags: [...new Set([controller, resourceName])],
  };
}

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
