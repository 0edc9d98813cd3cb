import {
  chainOfId,
  type Fields,
  knownTokens,
  placeInFile,
  type RuleSet,
  readRule,
  toComposition,
  toDefinition,
  type WantedRuleSet,
} from '@latchkey/core/rule-files';
import { AppError, type ErrorDetail, isObject } from '@latchkey/kernel';
import { BadFiles, type FileProblem, type Place, UsageError } from '../problems.ts';
import { suggest } from './check-file.ts';
import type { CommunityInFile } from './read-communities.ts';

type WantedRule = NonNullable<WantedRuleSet['rules']>[number];
type WantedAssertion = NonNullable<WantedRuleSet['assertions']>[number];
type WantedPass = NonNullable<WantedRuleSet['guestPasses']>[number];

/** A community of a file as the API takes it. */
export interface Compiled {
  wanted: WantedRuleSet;
  /** Where a part of `wanted` is in the file, by its JSON Pointer. */
  placeOf(path: string): Place;
}

/** What compiling needs of a community in a file. */
export type CompilableCommunity = Pick<CommunityInFile, 'value' | 'tokens' | 'placeOf'>;

/** Finds the id of a role, or says why there is none. */
export type FindRole = (name: string) => { id: string } | { problem: string };

/**
 * Finds roles of a community on its platform, by id or by name. Throws UsageError if the platform did not return its roles and
 * neither the community’s rule set nor `roles` of the file has this id: whether it is an id or a name is unknown then.
 */
export function platformRoles(ruleSet: RoleSource, value: Fields = {}): FindRole {
  const { roles } = ruleSet;
  const known = roles === undefined ? new Set([...roleIdsIn(ruleSet), ...Object.values(pinsIn(value))]) : undefined;
  return (name) => {
    if (roles === undefined) {
      if (known?.has(name)) return { id: name };
      throw new UsageError(
        `The platform did not return its roles, so whether there is a role "${name}" is unknown. Try again.`,
      );
    }
    if (roles.some(({ id }) => id === name)) return { id: name };
    const [first, ...others] = roles.filter((role) => role.name === name);
    if (first !== undefined && others.length === 0) return { id: first.id };
    if (first !== undefined)
      return {
        problem: `${others.length + 1} roles are called "${name}". Use an id: ${[first, ...others].map(({ id }) => id).join(', ')}.`,
      };
    return {
      problem: `There is no role "${name}" in the community.${suggest(
        name,
        roles.map((role) => role.name),
      )}`,
    };
  };
}

type RoleSource = Pick<RuleSet, 'roles' | 'rules' | 'guestPasses' | 'assertions' | 'brakes'>;

/** Every role that a rule set names. */
function roleIdsIn({ rules, guestPasses, assertions, brakes }: RoleSource): string[] {
  const ofRules = rules.flatMap(({ rule: { roleId, variables } }) => {
    const composition = isObject(variables) && isObject(variables.roleComposition) ? variables.roleComposition : {};
    const condition = isObject(composition.condition) ? Object.keys(composition.condition) : [];
    return [roleId, composition.roleId, ...condition].filter((id) => typeof id === 'string');
  });
  return [
    ...ofRules,
    ...guestPasses.flatMap(({ roleIds }) => roleIds),
    ...assertions.flatMap(({ never: { role, unless } }) => [role, unless.role ?? []].flat()),
    ...brakes.roles.map(({ roleId }) => roleId),
  ];
}

function pinsIn({ roles }: Fields): Fields {
  return isObject(roles) ? roles : {};
}

/** Without a server, a role is only what the file calls it. */
export const anyRole: FindRole = (name) => ({ id: name });

/** Turns a community of a file into what the API takes. Throws BadFiles with every problem. */
export function compileCommunity(community: CompilableCommunity, findRole: FindRole): Compiled {
  const { value, placeOf } = community;
  const problems: FileProblem[] = [];
  const pins = pinsIn(value);
  const roleAt = (name: string, path: string): string => {
    const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
    const found = findRole(typeof pin === 'string' ? pin : name);
    if ('id' in found) return found.id;
    problems.push({ place: placeOf(path), message: found.problem });
    return name;
  };
  const rules = listIn(value.rules).map((rule, index) => readOne(community, rule, `/rules/${index}`, roleAt, problems));
  const compositions = listIn(value.compositions).map((one, index) =>
    readComposition(one, `/compositions/${index}`, { roleAt, placeOf, problems }),
  );
  const hasRules = value.rules !== undefined || value.compositions !== undefined;
  problems.push(...repeatedRules(community));
  const wanted: WantedRuleSet = {
    ...(hasRules && { rules: [...rules, ...compositions] }),
    ...(value.guestPasses !== undefined && {
      guestPasses: listIn(value.guestPasses).map((pass, index) => readPass(pass, `/guestPasses/${index}`, roleAt)),
    }),
    ...(value.never !== undefined && {
      assertions: listIn(value.never).map((one, index) =>
        readAssertion(community, one, `/never/${index}`, { roleAt, problems }),
      ),
    }),
    ...(isObject(value.settings) && {
      settings:
        typeof value.settings.checkPeriod === 'string'
          ? { checkPeriodSeconds: toSeconds(value.settings.checkPeriod) }
          : {},
    }),
    ...(isObject(value.brakes) && { brakes: readBrakes(value.brakes, roleAt) }),
    unlisted: (value.unlisted as WantedRuleSet['unlisted'] | undefined) ?? 'keep',
  };
  if (problems.length > 0) throw new BadFiles(problems);
  return { wanted, placeOf: (path) => placeOf(toFilePath(path, rules.length)) };
}

type RoleAt = (name: string, path: string) => string;

function readOne(
  community: CompilableCommunity,
  rule: Fields,
  path: string,
  roleAt: RoleAt,
  problems: FileProblem[],
): WantedRule {
  const { when, definition } = rule;
  const { placeOf } = community;
  if ((when === undefined) === (definition === undefined))
    problems.push({ place: placeOf(path), message: 'A rule has either `when` or `definition`.' });
  const tokenOf = tokenReader(community, `${path}/when`, problems);
  const before = problems.length;
  const condition = isObject(when) ? toDefinition(when, tokenOf) : isObject(definition) ? definition : {};
  if (problems.length === before)
    problems.push(...findFaults(condition, placeOf, isObject(when) ? `${path}/when` : undefined, `${path}/definition`));
  return toWanted(rule, { ...condition, roleId: roleAt(String(rule.role), `${path}/role`) });
}

/** What must never be: a role without what it requires. */
function readAssertion(
  community: CompilableCommunity,
  { name, role, unless }: Fields,
  path: string,
  { roleAt, problems }: { roleAt: RoleAt; problems: FileProblem[] },
): WantedAssertion {
  const { placeOf } = community;
  const { holds, role: other, definition } = isObject(unless) ? unless : {};
  const given = [holds, other, definition].filter((one) => one !== undefined);
  if (given.length !== 1)
    problems.push({ place: placeOf(`${path}/unless`), message: '`unless` has either `holds` or `role`.' });
  const before = problems.length;
  const tokenOf = tokenReader(community, `${path}/unless/holds`, problems);
  const condition = isObject(holds) ? toDefinition(holds, tokenOf) : isObject(definition) ? definition : undefined;
  if (condition !== undefined && problems.length === before)
    problems.push(
      ...findFaults(
        condition,
        placeOf,
        isObject(holds) ? `${path}/unless/holds` : undefined,
        `${path}/unless/definition`,
      ),
    );
  return {
    ...(typeof name === 'string' && { name }),
    never: {
      role: roleAt(String(role), `${path}/role`),
      unless: condition === undefined ? { role: roleAt(String(other), `${path}/unless/role`) } : { holds: condition },
    },
  };
}

function tokenReader(community: CompilableCommunity, path: string, problems: FileProblem[]) {
  return (name: string, leaf: Fields): Fields => {
    const found = findToken(community, name, leaf);
    if (!('problem' in found)) return found.fields;
    problems.push({ place: community.placeOf(path), message: found.problem });
    return {};
  };
}

/** The parser’s own problems with a condition, at their places in the file. */
function findFaults(
  condition: Fields,
  placeOf: CommunityInFile['placeOf'],
  whenPath: string | undefined,
  definitionPath: string,
): FileProblem[] {
  try {
    readRule(condition);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details: readonly ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    if (details.length === 0) return [{ place: placeOf(whenPath ?? definitionPath), message: error.message }];
    return details.map((detail) => ({
      place: placeOf(
        whenPath === undefined ? `${definitionPath}${detail.path}` : `${whenPath}${placeInFile(detail.path)}`,
      ),
      message: capital(detail.message),
    }));
  }
}

function readComposition(
  one: Fields,
  path: string,
  { roleAt, placeOf, problems }: { roleAt: RoleAt; placeOf: CommunityInFile['placeOf']; problems: FileProblem[] },
): WantedRule {
  const roleId = roleAt(String(one.role), `${path}/role`);
  if (isObject(one.definition)) return toWanted(one, { ...one.definition, roleId });
  const condition = Object.fromEntries(
    Object.entries(isObject(one.condition) ? one.condition : {}).map(([name, isHeld]) => [
      roleAt(name, `${path}/condition/${name}`),
      isHeld,
    ]),
  );
  const definition = { ...toComposition({ ...one, condition }), roleId };
  try {
    readRule(definition);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details: readonly ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    for (const detail of details)
      problems.push({
        place: placeOf(`${path}${detail.path.replace('/variables/roleComposition', '')}`),
        message: capital(detail.message),
      });
  }
  return toWanted(one, definition);
}

function toWanted({ id, name, description, visibility }: Fields, definition: Fields): WantedRule {
  const rule = {
    ...definition,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  } as WantedRule['rule'];
  return {
    ...(typeof id === 'string' && { id }),
    rule,
    ...(typeof visibility === 'string' && { visibility: visibility as NonNullable<WantedRule['visibility']> }),
  };
}

/** A token by its name in the file, or by the symbol of a well-known one on the chain of the condition. */
export function findToken(
  { tokens }: Pick<CommunityInFile, 'tokens'>,
  name: string,
  { chainId }: Fields,
): { fields: Fields } | { problem: string } {
  const own = tokens.get(name);
  if (own !== undefined) return { fields: own };
  const chain = typeof chainId === 'number' || typeof chainId === 'string' ? chainOfId(chainId) : undefined;
  const known = chain === undefined ? [] : knownTokens(chain).filter(({ symbol }) => symbol === name);
  const [token, ...others] = known;
  if (token !== undefined && others.length === 0)
    return {
      fields: { type: token.decimals === undefined ? 'ERC721' : 'ERC20', contractAddress: token.address },
    };
  if (token !== undefined)
    return { problem: `${known.length} well-known tokens are called ${name} on this chain. Name one in \`tokens\`.` };
  const hint = chain === undefined ? ' With a chainId, well-known tokens are found by their symbol.' : '';
  return { problem: `There is no token "${name}" in \`tokens\`.${suggest(name, [...tokens.keys()])}${hint}` };
}

function readPass(pass: Fields, path: string, roleAt: RoleAt): WantedPass {
  const { name, description, roles, period = '30d', status = 'active' } = pass;
  return {
    name: String(name),
    ...(typeof description === 'string' && { description }),
    roleIds: (Array.isArray(roles) ? roles : []).map((role, index) => roleAt(String(role), `${path}/roles/${index}`)),
    periodSeconds: toSeconds(String(period)),
    status: status === 'inactive' ? 'inactive' : 'active',
  };
}

function readBrakes({ approvers = 1, roles, ...limits }: Fields, roleAt: RoleAt): NonNullable<WantedRuleSet['brakes']> {
  return {
    ...limits,
    approvers: Number(approvers),
    roles: listIn(roles).map(({ role, approvesGrants = false, ...own }, index) => ({
      ...own,
      roleId: roleAt(String(role), `/brakes/roles/${index}/role`),
      approvesGrants: approvesGrants === true,
    })),
  };
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 };

export function toSeconds(duration: string): number {
  return Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? 1);
}

export function toDuration(seconds: number): string {
  const [unit = 's', length = 1] =
    Object.entries(units)
      .toReversed()
      .find(([, long]) => seconds >= long && seconds % long === 0) ?? [];
  return `${seconds / length}${unit}`;
}

/** From a path in what the API gets to the path in the file: compositions follow rules there. */
function toFilePath(path: string, rules: number): string {
  const [, part = '', at = '', ...rest] = path.split('/');
  if (part === 'assertions') {
    const [, where = '', what = '', ...inside] = rest;
    const place = ['/never', at, where, what].filter((step) => step !== '').join('/');
    return inside.length === 0 ? place : `${place}${placeInFile(`/${inside.join('/')}`)}`;
  }
  if (part !== 'rules') return path.replace(/\/roleSet\/(\d+)\/id/, '/roles/$1');
  const isRule = Number(at) < rules;
  const place = isRule ? `/rules/${at}` : `/compositions/${Number(at) - rules}`;
  const inside = rest.slice(1).join('/');
  if (inside === '') return place;
  if (inside.startsWith('roleId')) return `${place}/role`;
  return isRule ? `${place}/when${placeInFile(`/${inside}`)}` : place;
}

/** Rules that claim to be the same one. */
function repeatedRules({ value, placeOf }: CompilableCommunity): FileProblem[] {
  const seen = { id: new Set<unknown>(), name: new Set<unknown>() };
  return (['rules', 'compositions'] as const).flatMap((list) =>
    listIn(value[list]).flatMap(({ id, name }, index) => {
      const [field, given] = id === undefined ? (['name', name] as const) : (['id', id] as const);
      const isNew = given === undefined || !seen[field].has(given);
      seen[field].add(given);
      if (isNew) return [];
      const message =
        field === 'id'
          ? `Another rule has the id ${String(id)} too.`
          : `Another rule is called "${String(name)}" too. Give one of them an id or another name.`;
      return [{ place: placeOf(`/${list}/${index}/${field}`), message }];
    }),
  );
}

export function listIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function capital(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
