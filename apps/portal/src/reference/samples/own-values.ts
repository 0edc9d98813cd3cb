import { chatPlatforms, platformNames } from '@latchkey/kernel/chat-platforms';
import type { OperationModel } from '../../../reference/model.ts';
import { findElsewhere, isOperation, type OwnList, ownToken } from '../../../reference/own-lists.ts';
import { isObject } from '../../is-object.ts';
import { type Credential, credentialKinds } from '../try-it/credential.ts';
import { type Inputs, keyOf } from '../try-it/prepare.ts';
import { readReturned } from './returned.ts';
import { startInputs } from './start-inputs.ts';

/** What a signed-in reader has on their server, which samples name in place of the sample community. */
export interface OwnValues {
  userId?: string;
  /** The first of those that the reader administers. */
  communities?: readonly OwnCommunity[];
  /** The one that the samples of an operation name. */
  community?: OwnCommunity;
  rule?: { id: string; roleId: string };
  /** The roles that the rules of this community give. */
  roles?: readonly string[];
  app?: { id: string; name: string };
  /** What the operation's ids can be, by their place and name; see `findObjects`. */
  objects?: Readonly<Record<string, string>>;
}

interface OwnCommunity {
  /** The qualified id. */
  id: string;
  platformId: string;
  name: string;
}

export const sampleUser = 'DIS#USER#200000000000000001';
export const sampleCommunity = { id: 'DIS#COMM#100000000000000001', platformId: '100000000000000001' };
const sampleRoles = /(?<!\d)30000000000000000([1-5])(?!\d)/g;
/** In place of a role for which the reader's rules have no counterpart. */
export const unknownRole = 'REPLACE_THIS_ROLE';
const mostCommunities = 20;
const mostRules = 20;
const sampleRule = /^TPC#/;
const sampleRules = /TPC#\w+#\d+#\w+/g;

const patienceMs = 10_000;

/** Reads what a reader has. What the credential may not read, or what is not there, is left out. */
export async function readOwnValues(address: string, credential: Credential, ended: AbortSignal): Promise<OwnValues> {
  if (credential.kind === 'none') return {};
  const tryRead = readerFor(address, credential, ended);
  const [me, administered, apps] = await Promise.all(
    ['/account/me', `/account/administrated-communities?limit=${mostCommunities}`, '/client-apps?limit=1'].map(tryRead),
  );
  const userId = textOf(me, 'id');
  const communities = listOf(administered).flatMap((community): OwnCommunity[] => {
    const id = textOf(community, 'id');
    if (id === undefined) return [];
    const platformId = textOf(community, 'communityId') ?? id;
    return [{ id, platformId, name: textOf(community, 'name') ?? id }];
  });
  const app = firstOf(apps);
  const appId = textOf(app, 'id');
  return {
    ...(userId !== undefined && { userId }),
    ...(communities.length > 0 && { communities }),
    ...(appId !== undefined && { app: { id: appId, name: textOf(app, 'name') ?? appId } }),
  };
}

/** Returns the community that an operation names: the chosen one, or the first that it can be about. */
export function communityFor(
  { path }: Pick<OperationModel, 'path'>,
  { communities = [] }: OwnValues,
  chosen: string,
): OwnCommunity | undefined {
  // The operations of one chat platform are below its name.
  const platform = platformNames.find((name) => path.startsWith(`/${name}/`));
  const prefix = platform && chatPlatforms[platform].prefix;
  const fitting = communities.filter(({ id }) => prefix === undefined || id.startsWith(`${prefix}#`));
  return fitting.find(({ id }) => id === chosen) ?? fitting[0];
}

/** Returns what a reader has with one of their communities, its rules and the roles that these give. */
export async function ofCommunity(
  own: OwnValues,
  community: OwnCommunity | undefined,
  address: string,
  credential: Credential,
  ended: AbortSignal,
): Promise<OwnValues> {
  if (community === undefined) return own;
  const read = readerFor(address, credential, ended);
  const path = `/latchkey/communities/${encodeURIComponent(community.id)}/rules?limit=${mostRules}`;
  const rules = listOf(await read(path)).flatMap((rule) => {
    const [id, roleId] = [textOf(rule, 'id'), textOf(rule, 'roleId')];
    return id === undefined || roleId === undefined ? [] : [{ id, roleId }];
  });
  const [rule] = rules;
  const roles = [...new Set(rules.map(({ roleId }) => roleId))];
  return { ...own, community, ...(rule && { rule, roles }) };
}

type Read = (path: string) => Promise<unknown>;

/** Returns what reads from the server as the reader, and undefined for what they may not read or what is not there. */
function readerFor(address: string, { kind, secret }: Credential, ended: AbortSignal): Read {
  const headers: Record<string, string> = {};
  if (kind !== 'none') headers[credentialKinds[kind].header] = `${credentialKinds[kind].prefix}${secret.trim()}`;
  return async (path) => {
    try {
      const signal = AbortSignal.any([ended, AbortSignal.timeout(patienceMs)]);
      const answer = await fetch(`${address}${path}`, { headers, credentials: 'omit', redirect: 'manual', signal });
      return answer.ok ? await answer.json() : undefined;
    } catch {
      return undefined;
    }
  };
}

/**
 * Reads which of the reader's objects an operation can name: the first of each list that the operation's ids are from, such as
 * the reader's first guest pass. Lists within an object are read for the object that was found.
 */
export async function findObjects(
  operation: OperationModel,
  { community, app, rule }: OwnValues,
  address: string,
  credential: Credential,
  ended: AbortSignal,
): Promise<Record<string, string>> {
  const read = readerFor(address, credential, ended);
  const { lists = [] } = operation;
  const found: Record<string, string> = {};
  const listed = new Set(lists.map(keyIn));
  const given = Object.entries(startInputs(operation).parameters).filter(([key]) => key.startsWith('path '));
  const known: Record<string, string | undefined> = {
    ...Object.fromEntries(given.flatMap(([key, text]) => (listed.has(key) ? [] : [[key.slice('path '.length), text]]))),
    ...(community && { communityId: community.id, guildId: community.platformId }),
    ...(app && { id: app.id }),
    ...(rule && { ruleId: rule.id }),
  };
  const findOne = async ({ name, list, field, where, part = '.*' }: OwnList): Promise<string | undefined> => {
    if (list === ownToken) return undefined;
    if (isOperation(list)) {
      const given = textOf(readReturned(list), field);
      return new RegExp(part).exec(given ?? '')?.[0] || undefined;
    }
    for (const { 1: outer = '' } of list.matchAll(/\{(\w+)\}/g)) {
      const source = findElsewhere('', outer);
      if (known[outer] === undefined && source !== undefined && source.list !== list)
        known[outer] = await findOne({ in: 'path', name: outer, ...source });
      if (known[outer] === undefined) return undefined;
    }
    const path = list.replace(/\{(\w+)\}/g, (_all, outer: string) => encodeURIComponent(known[outer] ?? ''));
    const answer = await read(path);
    const meant = where && listOf(answer).find((item) => isObject(item) && item[where.field] === where.value);
    const value = where ? textOf(meant, field) : (textOf(answer, field) ?? textOf(firstOf(answer), field));
    if (value !== undefined) known[name] = value;
    return value;
  };
  for (const one of lists) {
    if (found[keyIn(one)] !== undefined) continue;
    const value = await findOne(one);
    if (value !== undefined) found[keyIn(one)] = value;
  }
  return found;
}

/** Returns the inputs with what the reader has, and what of it they name, in words. */
export function withOwnValues(
  operation: OperationModel,
  inputs: Inputs,
  own: OwnValues,
): { inputs: Inputs; names: string[] } {
  const names = new Set<string>();
  const swap = (text: string, from: string, to: string | undefined, name: string): string => {
    if (to === undefined || !text.includes(from)) return text;
    names.add(name);
    return text.replaceAll(from, to);
  };
  const named = (text: string): string => {
    const { community, rule, roles = [], userId } = own;
    let swapped = swap(text, sampleCommunity.id, community?.id, `your community ${community?.name}`);
    swapped = swap(swapped, sampleCommunity.platformId, community?.platformId, `your community ${community?.name}`);
    swapped = swapped.replace(sampleRoles, (role, number: string) => {
      // These exist in the sample community, which may be the reader's own.
      if (community === undefined || rule === undefined || community.id === sampleCommunity.id) return role;
      const own = roles[Number(number) - 1];
      if (own !== undefined) names.add('your role');
      return own ?? unknownRole;
    });
    swapped = swapped.replace(sampleRules, (id) => (rule === undefined ? id : swap(id, id, rule.id, 'your rule')));
    return swap(swapped, sampleUser, userId, 'your user id');
  };
  const objects = own.objects ?? {};
  /** Of what the path names, the body often names the same. */
  const swapped = new Map<string, string>();
  const parameters = Object.entries(inputs.parameters).map(([key, text]): [string, string] => {
    const object = objects[key];
    if (object !== undefined) {
      names.add(object === own.app?.id ? `your application ${own.app.name}` : `your ${wordsOf(key)}`);
      if (text.length >= leastIdLength) swapped.set(text, object);
      return [key, object];
    }
    if (own.app !== undefined && isApp(operation, key)) {
      names.add(`your application ${own.app.name}`);
      return [key, own.app.id];
    }
    if (own.rule !== undefined && sampleRule.test(text)) {
      names.add('your rule');
      return [key, own.rule.id];
    }
    return [key, named(text)];
  });
  const form = Object.entries(inputs.form).map(([name, text]) => [name, named(text)]);
  for (const key of Object.keys(objects)) if (key.startsWith('body ')) names.add(`your ${wordsOf(key)}`);
  let json = withFields(named(inputs.json), objects);
  for (const [recorded, object] of swapped) json = json.replaceAll(`"${recorded}"`, JSON.stringify(object));
  return {
    inputs: { parameters: Object.fromEntries(parameters), form: Object.fromEntries(form), json },
    names: [...names],
  };
}

/** Returns the inputs with the reader's token where an operation takes one as a value. Only the console sends it: no sample shows it. */
export function withOwnToken({ lists = [] }: OperationModel, inputs: Inputs, { kind, secret }: Credential): Inputs {
  const asked = lists.filter(({ list }) => list === ownToken).map(keyIn);
  if (kind !== 'ae' || asked.length === 0) return inputs;
  const values = Object.fromEntries(asked.map((key) => [key, secret.trim()]));
  const parameters = Object.entries(inputs.parameters).map(([key, text]) => [key, values[key] ?? text]);
  return { ...inputs, parameters: Object.fromEntries(parameters), json: withFields(inputs.json, values) };
}

/**
 * Returns what a signed-in reader's request is about, in words: what its fields name, whether prefilled or typed, and their account where
 * the path means it.
 */
export function namesIn({ path }: OperationModel, inputs: Inputs, own: OwnValues): string[] {
  const { community, communities = community ? [community] : [], rule, app, userId, objects = {} } = own;
  const fields = [...Object.values(inputs.parameters), ...Object.values(inputs.form)];
  const isNamed = (value: string | undefined): boolean =>
    value !== undefined &&
    (fields.includes(value) ||
      inputs.json.includes(JSON.stringify(value)) ||
      (value.length >= leastIdLength && [...fields, inputs.json].some((text) => text.includes(value))));
  const names = new Set<string>();
  for (const { id, platformId, name } of communities)
    if (isNamed(id) || isNamed(platformId)) names.add(`your community ${name}`);
  // On a new server it exists, whether or not the credential may list it.
  if (names.size === 0 && (isNamed(sampleCommunity.id) || isNamed(sampleCommunity.platformId)))
    names.add('the sample community');
  if (isNamed(app?.id)) names.add(`your application ${app?.name}`);
  if (isNamed(rule?.id)) names.add('your rule');
  for (const [key, object] of Object.entries(objects))
    if (isNamed(object) && object !== app?.id) names.add(`your ${wordsOf(key)}`);
  if (isNamed(userId) || isOfAccount.test(path)) names.add('your account');
  return [...names];
}

const isOfAccount = /^(?:\/latchkey)?\/account\//;

function keyIn({ in: place, name }: OwnList): string {
  return `${place} ${name}`;
}

/** Shorter ids, such as numbers, may mean something else in a body. */
const leastIdLength = 8;

/** Returns a body whose fields name the reader's objects. */
function withFields(json: string, objects: Readonly<Record<string, string>>): string {
  const fields = Object.entries(objects).filter(([key]) => key.startsWith('body '));
  if (fields.length === 0) return json;
  const body: unknown = JSON.parse(json);
  if (!isObject(body)) return json;
  for (const [key, object] of fields) {
    const name = key.slice('body '.length);
    if (name in body) body[name] = Array.isArray(body[name]) ? [object] : object;
  }
  return JSON.stringify(body, undefined, 2);
}

/** Returns what an id is of, in words: `changeSetId` is of a change set. */
function wordsOf(key: string): string {
  const name = key.replace(/^\w+ /, '').replace(/(?<=.)(Id|Sk)$/, '');
  const words = { id: 'object', pk: 'organization', org: 'organization', mini: 'mini-app' }[name] ?? name;
  return words.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** Whether a parameter is the id of one of the reader's applications. */
function isApp({ path }: OperationModel, key: string): boolean {
  const name = keyOf({ in: 'path', name: /\/client-apps\/\{(\w+)\}/.exec(path)?.[1] ?? '' });
  return key === name;
}

function firstOf(value: unknown): unknown {
  return isObject(value) && !Array.isArray(value) && listIn(value) === undefined ? value : listOf(value)[0];
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return (isObject(value) ? listIn(value) : undefined) ?? [];
}

function listIn(value: Record<string, unknown>): readonly unknown[] | undefined {
  return [value.items, ...Object.values(value)].find(Array.isArray);
}

function textOf(value: unknown, name: string): string | undefined {
  const field = isObject(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : undefined;
}
