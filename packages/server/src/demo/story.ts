import {
  approveChangeSet,
  type ChangeSetRow,
  explainRole,
  issueAeToken,
  listChangeSets,
  previewChangeSet,
  undoChangeSet,
  userKey,
} from '@latchkey/core';
import { printTable } from '../cli/print.ts';
import { fetchTo } from '../egress/index.ts';
import { loadEmulators, sampleUser } from '../sandbox/index.ts';
import { type Narrator, until } from './narrator.ts';
import type { Stage } from './stage.ts';

/** Returns every member's role names, as the guild has them. */
function rolesShown({ world }: Stage): Map<string, string[]> {
  const guild = world.discord.getGuild(world.guild.id);
  const members = [...guild.members.values()].filter(({ user }) => !user.isBot);
  return new Map(
    members.map(({ user, roles }) => [
      user.username,
      [...roles].map((roleId) => guild.roles.get(roleId)?.name ?? roleId).sort(),
    ]),
  );
}

const holdersOf = (stage: Stage, role: string) =>
  [...rolesShown(stage)].filter(([, roles]) => roles.includes(role)).map(([name]) => name);

/** How many members each role must have at the start, given the wallets' holdings. */
const expected = { Holder: 30, Collector: 10, Supporter: 25, Whale: 5, Insider: 25 };

/** Runs the whole demo. Throws at the first step that fails. */
export async function runStory(stage: Stage, { step, say }: Narrator, now: () => number): Promise<void> {
  const { world, community } = stage;
  const { sendKey } = await loadEmulators();
  const wait = (holds: () => boolean | Promise<boolean>, otherwise: string) => until(holds, otherwise, { now });
  const { visitor: newcomer } = world;
  const [giver] = world.members;
  if (giver === undefined) throw new Error('The sample community has no members.');
  const { id: holder } = world.guild.roles.holder;
  const hadHolder = async (at: Date) => {
    const question = { communityId: community.id, userId: userKey('discord', newcomer.userId), roleId: holder, at };
    return (await explainRole(stage.as(community.owner), question)).had;
  };
  const hasHolder = () => holdersOf(stage, 'Holder').includes(newcomer.name);

  say('\nA community of 50 members, with rules based on what their wallets hold');
  await step('every member gets the roles they qualify for', async () => {
    const isDone = () => Object.entries(expected).every(([role, count]) => holdersOf(stage, role).length === count);
    await wait(isDone, 'The roles on Discord do not match what the wallets qualify for.');
    const { byRoute, rateLimited, noOpWrites } = world.discord.counts();
    const writes = Object.entries(byRoute).filter(([route]) => !route.startsWith('GET '));
    const calls = writes.reduce((sum, [, count]) => sum + count, 0);
    return `${calls} writes to Discord, ${rateLimited} rate-limited, ${noOpWrites} without effect`;
  });
  printTable([
    ['    ROLE', 'MEMBERS'],
    ...Object.keys(expected).map((role) => [`    ${role}`, String(holdersOf(stage, role).length)]),
  ]);

  say('\nA new member joins, links a wallet and sends a token away');
  await step(`${newcomer.name} joins and has no roles`, async () => {
    world.discord.addMember(world.guild.id, { id: newcomer.userId, name: newcomer.name });
    await sendKey(world.chain, giver, newcomer.address);
    if (rolesShown(stage).get(newcomer.name)?.length !== 0)
      throw new Error('A member without a linked wallet got a role.');
    return `the wallet holds a key from ${giver.name}, but is not linked to anyone yet`;
  });
  await step('links the wallet over the API', async () => linkOverHttp(stage, newcomer));
  await step('gains the role', async () => {
    await wait(hasHolder, 'The role was not granted.');
    await wait(() => hadHolder(new Date(now())), 'The ledger has no entry for the grant.');
    return 'Holder';
  });
  const heldAt = new Date(now());
  await step('sends the token away, in a transaction on the chain', async () => {
    await sendKey(world.chain, newcomer, giver.address);
    return undefined;
  });
  await step('loses the role', async () => {
    await wait(() => !hasHolder(), 'The role was not removed.');
    return 'triggered by the Transfer event, not by a resync';
  });
  await step('and the ledger keeps the history', async () => {
    await wait(async () => !(await hadHolder(new Date(now()))), 'The ledger has no entry for the removal.');
    if (!(await hadHolder(heldAt))) throw new Error('The ledger lost the record that the member had the role.');
    return `had the role at ${heldAt.toISOString()}, no longer has it`;
  });

  await notifyMistake(stage, { step, say }, wait);
}

type Wait = (holds: () => boolean | Promise<boolean>, otherwise: string) => Promise<void>;

async function notifyMistake(stage: Stage, { step, say }: Narrator, wait: Wait): Promise<void> {
  const { world, community } = stage;
  const owner = stage.as(community.owner);
  const before = JSON.stringify([...rolesShown(stage)]);
  const held = holdersOf(stage, 'Holder').length;
  let changeSet: ChangeSetRow | undefined;

  say('\nAn admin makes a mistake: the rule asks for 500 keys instead of one');
  await step('the rule is changed over the API', async () => changeRuleOverHttp(stage));
  await step('a preview shows what that would do', async () => {
    const preview = await previewChangeSet(owner, community.id, '*');
    if (preview.revokes < held) throw new Error(`The preview removes ${preview.revokes} roles instead of ${held}.`);
    return `${preview.revokes} roles removed, ${preview.grants} granted, about ${preview.calls} calls`;
  });
  await step('the change set is held, because it removes the role from more than 5% of its holders', async () => {
    await wait(async () => {
      changeSet = (await listChangeSets(owner, community.id)).items.find(({ status }) => status === 'held');
      return changeSet !== undefined;
    }, 'No change set was held.');
    if (JSON.stringify([...rolesShown(stage)]) !== before) throw new Error('A member already lost a role.');
    return `${changeSet?.revokes} removals are waiting for approval; no member lost a role`;
  });
  const changeSetId = changeSet?.id ?? '';
  await step('the admin approves it anyway', async () => {
    await approveChangeSet(owner, changeSetId);
    await wait(() => holdersOf(stage, 'Holder').length === 0, 'The approved change set was not applied.');
    return `${held} members lost ${world.guild.roles.holder.name}`;
  });
  await step('and undoes it with one call', async () => {
    await undoChangeSet(owner, changeSetId);
    const isRestored = () => JSON.stringify([...rolesShown(stage)]) === before;
    await wait(isRestored, 'The roles are not what they were.');
    return 'every role is restored';
  });
}

async function linkOverHttp(
  stage: Stage,
  member: { userId: string; name: string; address: string; sign(text: string): Promise<string> },
) {
  const user = sampleUser(member.userId, member.name);
  const { message } = (await call(stage, user, 'GET', '/account/auth-message')) as { message: string };
  const body = {
    chainId: `evm:${stage.world.chain.chainId}`,
    address: member.address,
    message,
    signedMessage: await member.sign(message),
  };
  await call(stage, user, 'POST', '/account/wallet-address', body);
  return 'a signed message, no transaction';
}

async function changeRuleOverHttp(stage: Stage): Promise<string> {
  const { community, world } = stage;
  const path = `/communities/${encodeURIComponent(community.id)}/tpcs`;
  const { items } = (await call(stage, community.owner, 'GET', path)) as { items: Record<string, string>[] };
  const rule = items.find(({ roleId }) => roleId === world.guild.roles.holder.id);
  if (rule?.id === undefined) throw new Error('The role’s rule was not found.');
  const { type, chainId, contractAddress, roleId } = rule;
  const body = { name: '500 keys', type, chainId, contractAddress, roleId, minToken: '500' };
  await call(stage, community.owner, 'PUT', `${path}/${encodeURIComponent(rule.id)}`, body);
  return 'PUT /communities/{id}/tpcs/{tpcId}';
}

async function call(
  stage: Stage,
  user: Stage['community']['owner'],
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const token = await issueAeToken(stage.as(user), { ...user, ttlSeconds: 300 });
  const response = await fetchTo([stage.url])(`${stage.url}${path}`, {
    method,
    headers: { authorization: `AE ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = response.status === 204 ? undefined : await response.json();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}
