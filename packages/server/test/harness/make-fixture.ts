import {
  allowSigningDomain,
  contextFor,
  decideMiniApp,
  jobKinds,
  noteAuthorization,
  registerMiniApp,
  savePlan,
} from '@latchkey/core';
import { sql } from '@latchkey/db';
import { keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import { people } from './outside-world.ts';
import {
  blameRule,
  botPermissions,
  changeSetsOf,
  failChangeSet,
  keyRule,
  linkSubreddit,
  linkWallet,
  makeComment,
  makeGuild,
  makePlan,
  planGrant,
} from './set-up-community.ts';
import { miniAppBody } from './set-up-partners.ts';
import type { World } from './set-up-world.ts';
import type { TestServer } from './test-server.ts';

export const operatorOf = (server: TestServer) => contextFor(server.services, { kind: 'admin', name: 'test' });

/** Creates a plan without subscribers. */
export async function makeSoldPlan({ server }: World): Promise<string> {
  const planId = nextName();
  await savePlan(operatorOf(server), { planId, body: { audience: 'organization', name: planId, prices: [] } });
  return planId;
}

/** Creates an application that waits for approval. */
export async function makeWaitingApp({ server, alice }: World): Promise<string> {
  return String((await caller(server, alice)('POST', '/client-apps', { name: 'Waiting' })).id);
}

/** Creates an application that may request signatures. */
export async function makeSigningApp(world: World): Promise<string> {
  const clientId = await makeWaitingApp(world);
  await allowSigningDomain(operatorOf(world.server), { clientId, domain: 'name:Snapshot' });
  return clientId;
}

/** Creates another user who may describe the contract of alice's token. */
export async function makeDescriber({ server, partners: { nft } }: World): Promise<string> {
  const describerId = `DIS#USER#${nextName()}`;
  const path = `/latchkey/nft-contracts/${nft.chainId}/${nft.address}/describers/${encodeURIComponent(describerId)}`;
  await server.request('PUT', path, { headers: { 'x-api-key': server.adminKey } });
  return describerId;
}

let made = 0;

function nextName(): string {
  made += 1;
  return `sample-${made}`;
}

const communityPath = ({ community }: World) => `/communities/${encodeURIComponent(community.id)}`;

export async function makeCommunity({ server }: World): Promise<string> {
  made += 1;
  const { json } = await server.request('POST', '/communities', {
    headers: { 'x-api-key': server.adminKey },
    json: { platform: 'telegram', communityId: `-100${made}`, ownerId: aliceId },
  });
  return json.id;
}

/** Creates a community of alice's in shadow mode, or one that was taken over. */
export async function makeShadowed({ server, alice, outside }: World, isTakenOver = false): Promise<string> {
  const call = caller(server, alice);
  const { guildId: communityId } = makeGuild(outside, people.alice);
  const { id } = await call('POST', '/communities', { platform: 'discord', communityId, name: nextName() });
  const path = `/latchkey/communities/${encodeURIComponent(id)}/shadow-mode`;
  await call('PUT', path);
  if (isTakenOver) {
    await call('POST', `${path}/take-over`);
    const work = jobKinds.find(({ name }) => name === 'gating.take-over');
    const ctx = contextFor(server.services, { kind: 'system', job: 'gating.take-over' });
    await work?.run(ctx, { communityId: id }, { id: '1', attempt: 1, signal: new AbortController().signal });
  }
  return id;
}

/** Creates a pending import of rules. The oldest import is deleted when there are too many. */
export async function makeImport(world: World): Promise<string> {
  const content = JSON.stringify([keyRule(world.outside, world.community.roleId)]);
  const path = `/latchkey${communityPath(world)}/rule-imports`;
  return (await caller(world.server, world.alice)('POST', path, { source: 'original', content })).id;
}

export async function makeDraft(world: World): Promise<string> {
  const { server, alice, outside, community } = world;
  const body = { rule: keyRule(outside, community.roleId) };
  return String((await caller(server, alice)('POST', `/latchkey${communityPath(world)}/rule-drafts`, body)).id);
}

/** Creates an invite that goes around the rule of the sample community, and has it found. */
export async function makeBackDoor(world: World): Promise<string> {
  const { discord } = world.outside;
  const { guildId, roleId } = world.community;
  const own = [...discord.getGuild(guildId).roles.values()].find(({ botId }) => botId !== undefined);
  discord.setPermissions(guildId, own?.id ?? '', ['MANAGE_GUILD', ...botPermissions]);
  const { code } = discord.createInvite(guildId, { roleIds: [roleId] });
  const { backDoors } = await caller(world.server, world.alice)(
    'POST',
    `/latchkey${communityPath(world)}/back-doors/check`,
  );
  return backDoors.find(({ title }: { title: string }) => title.includes(code))?.id ?? '';
}

export async function makeRule(world: World): Promise<string> {
  const rule = keyRule(world.outside, world.community.roleId);
  return (await caller(world.server, world.alice)('POST', `${communityPath(world)}/tpcs`, rule)).sk;
}

export async function makeApp(world: World): Promise<string> {
  const appId = nextName();
  const operator = contextFor(world.server.services, { kind: 'admin', name: 'fuzz' });
  const manifest = { appType: 'action', developer: 'sample', name: appId, shortName: appId } as const;
  await registerMiniApp(operator, { appId, ...manifest });
  await caller(world.server, world.alice)('POST', `${communityPath(world)}/apps/${appId}`);
  return appId;
}

export async function makeMiniApp({ server, alice, owned }: World): Promise<string> {
  return (await caller(server, alice)('POST', '/miniapps', miniAppBody(owned.organization?.id ?? ''))).id;
}

/** Creates a mini-app that can be resubmitted for review. */
export async function makeRejectedMiniApp(world: World): Promise<string> {
  const id = await makeMiniApp(world);
  await decideMiniApp(operatorOf(world.server), { id, decision: 'reject' });
  return id;
}

export async function makeSpace({ server, alice, community: { id } }: World): Promise<string> {
  const space = `${nextName()}.eth`;
  await caller(server, alice)('POST', `/snapshot/communities/${encodeURIComponent(id)}/space`, { space });
  return space;
}

export async function makeAuthorization({ server }: World): Promise<string> {
  const { id: clientId } = await server.apiKey(['user:read']);
  await noteAuthorization(server.services, { userId: aliceId, clientId, scopes: ['user:read'] });
  return clientId;
}

export function makeChangeSetOf({ server, alice, community }: World): Promise<string> {
  return makePlan(caller(server, alice), community.id, people.alice);
}

export async function makeApprovedChangeSet(world: World): Promise<string> {
  const changeSetId = await makeChangeSetOf(world);
  await caller(world.server, world.alice)('POST', `${changeSetsOf(world.community.id)}/${changeSetId}/approve`);
  return changeSetId;
}

export async function makeGrantingChangeSet(world: World): Promise<string> {
  const id = await makeChangeSetOf(world);
  await planGrant(world.server, world.community, id);
  return id;
}

export async function makeRestorableChangeSet(world: World): Promise<string> {
  const id = await makeChangeSetOf(world);
  await blameRule(world.server, world.community, id);
  return id;
}

export function makeCommentOf({ server, alice, community }: World): Promise<string> {
  return makeComment(caller(server, alice), community.id, community.changeSets.shown);
}

export async function makeFailedChangeSet(world: World): Promise<string> {
  const changeSetId = await makeChangeSetOf(world);
  await failChangeSet(world.server, changeSetId);
  return changeSetId;
}

export async function makePass({ server, alice, community: { guildId, roleId } }: World): Promise<string> {
  const body = { name: nextName(), roleSet: [{ id: roleId }] };
  return (await caller(server, alice)('POST', `/discord/${guildId}/guest-passes`, body)).id;
}

export async function makeHeldPass(world: World): Promise<string> {
  const passId = await makePass(world);
  const holders = `/latchkey/communities/${encodeURIComponent(world.community.id)}/guest-passes/${passId}/holders`;
  await caller(world.server, world.alice)('PUT', `${holders}/${encodeURIComponent(aliceId)}`);
  return passId;
}

/** Creates an admin that alice added. */
export async function makeAdmin({ server, community }: World): Promise<string> {
  made += 1;
  const userId = `DIS#USER#77${made}`;
  await sql`
    insert into community_admins (community_id, user_id, added_at, named_by, ask_at)
    values (${community.id}, ${userId}, now(), ${aliceId}, now() + interval '1 day')`.execute(
    server.services.db.system,
  );
  return userId;
}

export async function makeWallet({ server, alice, outside }: World): Promise<string> {
  const account = privateKeyToAccount(keccak256(toHex(nextName())));
  const { address } = account;
  await linkWallet(caller(server, alice), outside, { address, sign: (message) => account.signMessage({ message }) });
  return address;
}

export async function makeSession({ server, alice }: World): Promise<string> {
  const list = async (): Promise<{ id: string }[]> => caller(server, alice)('GET', '/latchkey/account/sessions');
  const before = new Set((await list()).map(({ id }) => id));
  await server.aeToken(aliceId);
  return (await list()).find(({ id }) => !before.has(id))?.id ?? '';
}

/** Creates a finished member export. The oldest is deleted when there are too many. */
export async function makeExport({ server, alice, community }: World): Promise<string> {
  const path = `/latchkey/communities/${encodeURIComponent(community.id)}/member-exports`;
  const { id } = await caller(server, alice)('POST', path, {});
  await server.worker.idle();
  return id;
}

export async function makeWalletLink(world: World): Promise<string> {
  const address = await makeWallet(world);
  const wallets: { id: string; address: string }[] = await caller(world.server, world.alice)(
    'GET',
    '/latchkey/account/wallets',
  );
  return wallets.find((wallet) => wallet.address === address)?.id ?? '';
}

export async function makeAppWithSecrets({ server, alice }: World): Promise<string> {
  const app = { name: nextName(), clientType: 'confidential', webhookUrl: 'https://hooks.example/latchkey' };
  return (await caller(server, alice)('POST', '/client-apps', app)).id;
}

/** Pairs an app on Devvit with alice's subreddit, anew if there is one. */
export async function pairSubreddit({ server, alice, community }: World): Promise<void> {
  await caller(server, alice)('POST', `/latchkey/communities/${encodeURIComponent(community.subredditId)}/devvit`);
}

export async function makeSubreddit({ server, alice, outside }: World): Promise<string> {
  return (await linkSubreddit(server, outside, people.alice, caller(server, alice))).subredditId;
}
