import { makeDeveloper } from '@latchkey/console/testing/fill-path';
import { until } from '@latchkey/test-kit';
import type { BrowserContext } from 'playwright-core';
import { communityId, guildId, newcomerId, type SampleServer } from './sample-server.ts';

const headers = { 'x-latchkey-console': '1' };
const community = encodeURIComponent(communityId);

/** Calls the API as the signed-in user, and throws its errors. */
async function call<Answer>(
  { url }: SampleServer,
  { request }: BrowserContext,
  label: string,
  data?: unknown,
): Promise<Answer> {
  const [method = '', path = ''] = label.split(' ');
  const answer = await request.fetch(`${url}${path}`, { method, headers, ...(data !== undefined && { data }) });
  if (!answer.ok()) throw new Error(`${label} answered ${answer.status()}: ${await answer.text()}`);
  return answer.status() === 204 ? (undefined as Answer) : answer.json();
}

/** Waits until every member has the roles of the sample rules, so that all pictures show the same community. */
export async function waitForRoles(sample: SampleServer): Promise<void> {
  await until('every member is checked', async () => {
    const { items } = await call<{ items: { roles: unknown[] }[] }>(
      sample,
      sample.owner,
      `GET /latchkey/communities/${community}/members?limit=100`,
    );
    return items.filter(({ roles }) => roles.length > 0).length >= 30;
  });
}

/** A new member without a linked wallet. */
export async function joinNewcomer({ discordUrl }: SampleServer): Promise<void> {
  const joined = await fetch(`${discordUrl}/emulator/guilds/${guildId}/members`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: newcomerId, name: 'member-51' }),
  });
  if (!joined.ok) throw new Error(`The newcomer did not join: ${await joined.text()}`);
}

/** Creates a guest pass, and grants it to a member. */
export async function giveGuestPass(sample: SampleServer): Promise<void> {
  const roles = `/discord/guilds/${guildId}/roles`;
  const made = await call<{ id: string; name: string }>(sample, sample.owner, `POST ${roles}`, { name: 'Guest' });
  const pass = await call<{ id: string }>(sample, sample.owner, `POST /discord/${guildId}/guest-passes`, {
    name: 'Speaker',
    description: 'For speakers of the monthly call',
    roleSet: [{ id: made.id, name: 'Guest' }],
    period: 14 * 24 * 60 * 60,
  });
  const holder = encodeURIComponent('DIS#USER#200000000000000031');
  await call(sample, sample.owner, `PUT /latchkey/communities/${community}/guest-passes/${pass.id}/holders/${holder}`);
}

/** Creates an application and a confirmed organization of the owner, with the sample mini-app, which the operator lists. */
export async function listMiniApp(sample: SampleServer): Promise<void> {
  const { owner, operator, url } = sample;
  await makeDeveloper({ url, request: owner.request });
  const otp = await until('the code is mailed', () => readCode(sample));
  await call(sample, owner, 'POST /dev-orgs/verify', { otp });
  const [organization] = await call<{ id: string }[]>(sample, owner, 'GET /latchkey/dev-orgs');
  const { id } = await call<{ id: string }>(sample, owner, 'POST /miniapps', {
    pk: organization?.id,
    name: 'Hello',
    description: 'Greets members by name',
    url: `${url}/hello-action`,
  });
  for (const decision of ['approve', 'list'])
    await call(sample, operator, `POST /latchkey/operator/mini-apps/${id}/decision`, { decision });
}

async function readCode({ mailsUrl }: SampleServer): Promise<string | undefined> {
  const mails: { text: string }[] = await (await fetch(`${mailsUrl}/messages`)).json();
  return mails.map(({ text }) => /\b\d{6}\b/.exec(text)?.[0]).find((code) => code !== undefined);
}

/** Changes a rule by mistake: it removes a role from ten members, so the removals need approval. */
export async function holdChangeSet(sample: SampleServer): Promise<void> {
  const rules = `/communities/${community}/tpcs`;
  const { items } = await call<{ items: Record<string, string>[] }>(sample, sample.owner, `GET ${rules}`);
  const rule = items.find(({ name }) => name === 'Three keys');
  const { type, chainId, contractAddress, roleId } = rule ?? {};
  const body = { name: 'Three keys', type, chainId, contractAddress, roleId, minToken: '30' };
  await call(sample, sample.owner, `PUT ${rules}/${encodeURIComponent(rule?.id ?? '')}`, body);
  await until('the removals wait for approval', async () => {
    const plans = await call<{ items: { status: string }[] }>(
      sample,
      sample.owner,
      `GET /latchkey/communities/${community}/change-sets?limit=20`,
    );
    return plans.items.some(({ status }) => status === 'held');
  });
}

/** Saves a rule as it is with another name. */
export async function renameRule(sample: SampleServer, ruleId: string): Promise<void> {
  const rules = `/communities/${community}/tpcs`;
  const { items } = await call<{ items: Record<string, string>[] }>(sample, sample.owner, `GET ${rules}`);
  const { name, type, chainId, contractAddress, roleId, minToken } = items.find(({ id }) => id === ruleId) ?? {};
  const body = { name: `${name} (reviewed)`, type, chainId, contractAddress, roleId, minToken };
  await call(sample, sample.operator, `PUT ${rules}/${encodeURIComponent(ruleId)}`, body);
}

/** Imports rules of another bot: one that matches, one that exists, one that is meaningless and one without a role. */
export async function importRules(sample: SampleServer): Promise<void> {
  const { items } = await call<{ items: Record<string, string>[] }>(
    sample,
    sample.owner,
    `GET /communities/${community}/tpcs`,
  );
  const rule = items.find(({ name }) => name === 'Three keys');
  const { type, chainId, contractAddress, roleId, minToken } = rule ?? {};
  const row = (role: string, kind: string | undefined, min: string | undefined, name: string) =>
    [role, role === '' ? roleId : '', kind, chainId, contractAddress, min, name].join(',');
  const content = [
    'role,roleId,type,chain,contract,min,name',
    row('', type, '8', 'Big key holders'),
    row('', type, minToken, 'Key holders'),
    row('Whales', type, '20', 'Whales'),
    row('', 'DISCORD_LEVEL', '5', 'Active chatters'),
  ].join('\n');
  await call(sample, sample.owner, `POST /latchkey/communities/${community}/rule-imports`, {
    source: 'vulcan',
    content,
  });
}

/** Turns on shadow mode: what the mistaken rule change would remove is only shown. */
export async function startShadow(sample: SampleServer): Promise<void> {
  const path = `/latchkey/communities/${community}/shadow-mode`;
  await call(sample, sample.owner, `PUT ${path}`);
  await until('the differences are seen', async () => {
    const { days } = await call<{ days: { members: number }[] }>(sample, sample.owner, `GET ${path}`);
    return (days[0]?.members ?? 0) >= 10;
  });
}
