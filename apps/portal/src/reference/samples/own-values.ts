import type { OperationModel } from '../../../reference/model.ts';
import { isObject } from '../../is-object.ts';
import { type Credential, credentialKinds } from '../try-it/credential.ts';
import { type Inputs, keyOf } from '../try-it/prepare.ts';

/** What a signed-in reader has on their server, which samples name in place of the sample community. */
export interface OwnValues {
  userId?: string;
  community?: { id: string; platformId: string; name: string };
  rule?: { id: string; roleId: string };
  app?: { id: string; name: string };
}

export const sampleUser = 'DIS#USER#200000000000000001';
export const sampleCommunity = { id: 'DIS#COMM#100000000000000001', platformId: '100000000000000001' };
/** The first role of the sample community is named in most samples. */
const sampleRole = '300000000000000001';
const sampleRule = /^TPC#/;

const patienceMs = 10_000;

/** Reads what a reader has. What the credential may not read, or what is not there, is left out. */
export async function readOwnValues(address: string, credential: Credential, ended: AbortSignal): Promise<OwnValues> {
  if (credential.kind === 'none') return {};
  const { header, prefix } = credentialKinds[credential.kind];
  const headers = { [header]: `${prefix}${credential.secret.trim()}` };
  const read = async (path: string): Promise<unknown> => {
    const signal = AbortSignal.any([ended, AbortSignal.timeout(patienceMs)]);
    const answer = await fetch(`${address}${path}`, { headers, credentials: 'omit', redirect: 'manual', signal });
    return answer.ok ? answer.json() : undefined;
  };
  const tryRead = (path: string) => read(path).catch(() => undefined);
  const [me, communities, apps] = await Promise.all(
    ['/account/me', '/account/administrated-communities?limit=1', '/client-apps?limit=1'].map(tryRead),
  );
  const userId = textOf(me, 'id');
  const community = firstOf(communities);
  const communityId = textOf(community, 'id');
  const rule =
    communityId === undefined
      ? undefined
      : firstOf(await tryRead(`/latchkey/communities/${encodeURIComponent(communityId)}/rules?limit=1`));
  const [ruleId, roleId] = [textOf(rule, 'id'), textOf(rule, 'roleId')];
  const app = firstOf(apps);
  const appId = textOf(app, 'id');
  return {
    ...(userId !== undefined && { userId }),
    ...(communityId !== undefined && {
      community: {
        id: communityId,
        platformId: textOf(community, 'communityId') ?? communityId,
        name: textOf(community, 'name') ?? communityId,
      },
    }),
    ...(ruleId !== undefined && roleId !== undefined && { rule: { id: ruleId, roleId } }),
    ...(appId !== undefined && { app: { id: appId, name: textOf(app, 'name') ?? appId } }),
  };
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
    const { community, rule, userId } = own;
    let swapped = swap(text, sampleCommunity.id, community?.id, `your community ${community?.name}`);
    swapped = swap(swapped, sampleCommunity.platformId, community?.platformId, `your community ${community?.name}`);
    swapped = swap(swapped, sampleRole, rule?.roleId, 'your role');
    return swap(swapped, sampleUser, userId, 'your user id');
  };
  const parameters = Object.entries(inputs.parameters).map(([key, text]): [string, string] => {
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
  return {
    inputs: { parameters: Object.fromEntries(parameters), form: Object.fromEntries(form), json: named(inputs.json) },
    names: [...names],
  };
}

/** Whether a parameter is the id of one of the reader's applications. */
function isApp({ path }: OperationModel, key: string): boolean {
  const name = keyOf({ in: 'path', name: /\/client-apps\/\{(\w+)\}/.exec(path)?.[1] ?? '' });
  return key === name;
}

function firstOf(value: unknown): unknown {
  const items = Array.isArray(value) ? value : isObject(value) ? value.items : undefined;
  return Array.isArray(items) ? items[0] : undefined;
}

function textOf(value: unknown, name: string): string | undefined {
  const field = isObject(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : undefined;
}
