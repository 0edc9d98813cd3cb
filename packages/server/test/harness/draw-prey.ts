import {
  allowSigningDomain,
  contextFor,
  createAdminKey,
  decideMiniApp,
  noteAuthorization,
  registerMiniApp,
  savePlan,
  setPlan,
} from '@latchkey/core';
import { sql } from '@latchkey/db';
import type { Operation } from '@latchkey/kernel';
import { keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import type { Share } from './operation-samples.ts';
import { people } from './outside-world.ts';
import { sampleHandOvers } from './sample-hand-overs.ts';
import type { Samples } from './sample-request.ts';
import { sampleWallets } from './sample-wallets.ts';
import { linkX, sampleXLinks } from './sample-x.ts';
import { served } from './served.ts';
import { letAppIn } from './settle-apps.ts';
import {
  failPlan,
  keyRule,
  linkSubreddit,
  linkWallet,
  makePlan,
  rolePlansOf,
  sendFollowUp,
  startInteraction,
} from './settle-community.ts';
import { askForConsent } from './settle-oauth.ts';
import { lockedPlan, miniAppBody } from './settle-partners.ts';
import { sampleLinks, type World } from './settle-world.ts';
import { sampleSignedCalls } from './signed-calls.ts';
import type { TestServer } from './test-server.ts';

const preyPerRun = 40;
const linksPerRun = 110;
/** As many as count at a time. */
const attemptsPerRun = 5;

/** Makes things of alice's that a run may change and delete, so that the ones other runs ask for stay. */
type MakePrey = (world: World, operation: Operation, share: Share) => Promise<Samples>;

const preys: Readonly<Record<string, MakePrey>> = {
  '/communities/{id}': (world, { path }, share) => drawn('id', path, share, () => makeCommunity(world)),
  '/communities/{id}/tpcs/{tpcId}': (world, { path }, share) => drawn('tpcId', path, share, () => makeRule(world)),
  '/latchkey/communities/{communityId}/rules/{ruleId}': (world, { path }, share) =>
    drawn('ruleId', path, share, () => makeRule(world)),
  '/communities/{communityId}/apps/{appId}': (world, { path }, share) =>
    drawn('appId', path, share, () => makeApp(world)),
  '/discord/{guildId}/guest-passes/{passId}': (world, { path }, share) =>
    drawn('passId', path, share, () => makePass(world)),
  '/account/wallets/{address}': (world, { path }, share) => drawn('address', path, share, () => makeWallet(world)),
  '/wallet-manager/wallet-connections/{walletSk}': async (world, { path, route }, share) => ({
    ...(await drawn('walletSk', path, share, () => makeWallet(world))),
    [`${route} id`]: world.alice.split(' ')[1] ?? '',
  }),
  '/latchkey/account/sessions/{id}': (world, { path }, share) => drawn('id', path, share, () => makeSession(world)),
  '/latchkey/account/wallets/{id}/sign-in': (world, { path }, share) =>
    drawn('id', path, share, () => makeWalletLink(world)),
  '/latchkey/client-apps/{id}/client-secret': (world, { path }, share) =>
    drawn('id', path, share, () => makeAppWithSecrets(world)),
  '/latchkey/client-apps/{id}/api-key': (world, { path }, share) =>
    drawn('id', path, share, () => makeAppWithSecrets(world)),
  '/latchkey/client-apps/{id}/webhook-secret': (world, { path }, share) =>
    drawn('id', path, share, () => makeAppWithSecrets(world)),
  '/latchkey/communities/{communityId}/applications/{clientId}': ({ server, alice, community }, { path }, share) =>
    drawn('clientId', path, share, () => letAppIn(server, alice, community.id)),
  '/latchkey/communities/{communityId}': (world, { path }, share) =>
    drawn('communityId', path, share, () => makeCommunity(world)),
  '/latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}': (world, { path }, share) =>
    drawn('passId', path, share, () => makeHeldPass(world)),
  '/latchkey/communities/{communityId}/role-plans/{planId}/approve': drawPlans,
  '/latchkey/communities/{communityId}/role-plans/{planId}/reject': drawPlans,
  '/latchkey/communities/{communityId}/role-plans/{planId}/undo': (world, { path }, share) =>
    drawn('planId', path, share, () => makeApprovedPlan(world)),
  '/latchkey/communities/{communityId}/role-plans/{planId}/retry': (world, { path }, share) =>
    drawn('planId', path, share, () => makeFailedPlan(world)),
  '/latchkey/operator/applications/{id}/decision': (world, { path }, share) =>
    drawn('id', path, share, () => makeWaitingApp(world)),
  '/latchkey/operator/mini-apps/{id}/decision': (world, { path }, share) =>
    drawn('id', path, share, () => makeMiniApp(world)),
  '/latchkey/operator/applications/{clientId}/signing-domains/{domain}': (world, { path }, share) =>
    drawn('clientId', path, share, () => makeSigningApp(world)),
  '/latchkey/operator/admin-keys/{id}': ({ server }, { path }, share) =>
    drawn('id', path, share, async () => (await createAdminKey(server.services, 'prey')).id),
  '/latchkey/plans/{planId}': (world, { path }, share) => drawn('planId', path, share, () => makeSoldPlan(world)),
  '/latchkey/plans/{planId}/subscribers/{subscriberId}': ({ server, owned }) =>
    setPlan(operatorOf(server), owned.organization?.id ?? '', lockedPlan).then(() => ({})),
  '/latchkey/account/x': (world, { method }) =>
    method === 'DELETE' ? linkX(world).then(() => ({})) : sampleXLinks(world, attemptsPerRun),
  '/latchkey/hand-overs/state': drawHandOvers,
  '/latchkey/hand-overs/message': drawHandOvers,
  '/latchkey/hand-overs/proof': drawHandOvers,
  '/latchkey/hand-overs/accept': drawHandOvers,
  '/account/wallet-address': ({ server, alice, outside }, _operation, share) =>
    sampleLinks(caller(server, alice), outside, share(linksPerRun)),
  '/reddit/unlink-token': (world, { path }, share) => drawn('communityId', path, share, () => makeSubreddit(world)),
  '/latchkey/miniapps/{miniAppId}/submit': (world, { path }, share) =>
    drawn('miniAppId', path, share, () => makeRejectedMiniApp(world)),
  '/miniapps/{miniAppId}': (world, { path }, share) => drawn('miniAppId', path, share, () => makeMiniApp(world)),
  '/snapshot/communities/{communityId}/space/{space}': (world, { path }, share) =>
    drawn('space', path, share, () => makeSpace(world)),
  '/user-authorizations/{clientId}': (world, { path }, share) =>
    drawn('clientId', path, share, () => makeAuthorization(world)),
  '/user-authorizations/{slug}': async ({ server, oauth }, { route }) => ({
    [`${route} slug`]: await askForConsent(server, oauth.client),
  }),
  '/hello-action/events': ({ server, outside }) => sampleSignedCalls(server, outside),
  '/hello-action/interactions': ({ server, outside }) => sampleSignedCalls(server, outside),
  '/stripe/webhook': ({ server, outside }) => sampleSignedCalls(server, outside),
  '/discord/webhooks/{interactionId}': makeInteraction,
  '/discord/webhooks/{interactionId}/messages/{messageId}': makeInteraction,
};

export async function drawPrey(world: World, operation: Operation, share: Share): Promise<Samples> {
  const { server, alice, outside, community } = world;
  await clearAway(world);
  const isAboutWallets = /^\/(wallet-manager|tokenproof|evm\/venly)\//.test(operation.path);
  const countFor = (route: string) => (route === operation.route ? share(preyPerRun) : 1);
  return {
    ...(isAboutWallets && (await sampleWallets({ server, outside, authorization: alice }, community, countFor))),
    ...(await preys[operation.path]?.(world, operation, share)),
  };
}

/** Removes what earlier runs added: every rule and every wallet makes each later look at alice slower. */
async function clearAway(world: World): Promise<void> {
  const { server, alice, outside, community } = world;
  const { id, ruleId } = community;
  const { system } = server.services.db;
  await sql`delete from communities where owner_id = ${aliceId} and platform = 'discord' and id <> ${id}`.execute(
    system,
  );
  await sql`delete from community_rules where community_id = ${id} and id <> ${ruleId}`.execute(system);
  if ((await readWallets(world)) === linked.get(world.server)) return;
  await sql`delete from wallet_connections where user_id = ${aliceId}`.execute(system);
  await linkWallet(caller(server, alice), outside, people.alice);
  linked.set(world.server, await readWallets(world));
}

/** What was stored when alice had just linked her wallet; to link it again for every operation takes long. */
const linked = new WeakMap<TestServer, string>();

async function readWallets({ server }: World): Promise<string> {
  const { rows } = await sql<{ wallets: string }>`
    select jsonb_agg(to_jsonb(w) || jsonb_build_object('communities', (
      select jsonb_agg(to_jsonb(c)) from wallet_communities c where c.link_id = w.id
    )))::text as wallets from wallet_connections w where user_id = ${aliceId}`.execute(server.services.db.system);
  return String(rows[0]?.wallets);
}

/** Ids to draw from, for every operation on the path. */
async function drawn(name: string, path: string, share: Share, make: () => Promise<string>): Promise<Samples> {
  const ids: string[] = [];
  while (ids.length < share(preyPerRun)) ids.push(await make());
  // In turn, since many of them can be used once only.
  let next = 0;
  const draw = () => ids[next++ % ids.length];
  return Object.fromEntries(
    served.filter((other) => other.path === path).map(({ route }) => [`${route} ${name}`, draw]),
  );
}

const operatorOf = (server: TestServer) => contextFor(server.services, { kind: 'admin', name: 'test' });

/** A plan that nobody has. */
async function makeSoldPlan({ server }: World): Promise<string> {
  const planId = nextName();
  await savePlan(operatorOf(server), { planId, body: { audience: 'organization', name: planId, prices: [] } });
  return planId;
}

/** An application that waits for the operator. */
async function makeWaitingApp({ server, alice }: World): Promise<string> {
  return String((await caller(server, alice)('POST', '/client-apps', { name: 'Waiting' })).id);
}

/** An application that may have something signed. */
async function makeSigningApp(world: World): Promise<string> {
  const clientId = await makeWaitingApp(world);
  await allowSigningDomain(operatorOf(world.server), { clientId, domain: 'name:Snapshot' });
  return clientId;
}

let made = 0;

function nextName(): string {
  made += 1;
  return `sample-${made}`;
}

const communityPath = ({ community }: World) => `/communities/${encodeURIComponent(community.id)}`;

async function makeCommunity({ server }: World): Promise<string> {
  made += 1;
  const { json } = await server.request('POST', '/communities', {
    headers: { 'x-api-key': server.adminKey },
    json: { platform: 'telegram', communityId: `-100${made}`, ownerId: aliceId },
  });
  return json.id;
}

async function makeRule(world: World): Promise<string> {
  const rule = keyRule(world.outside, world.community.roleId);
  return (await caller(world.server, world.alice)('POST', `${communityPath(world)}/tpcs`, rule)).sk;
}

async function makeApp(world: World): Promise<string> {
  const appId = nextName();
  const operator = contextFor(world.server.services, { kind: 'admin', name: 'fuzz' });
  const manifest = { appType: 'action', developer: 'sample', name: appId, shortName: appId } as const;
  await registerMiniApp(operator, { appId, ...manifest });
  await caller(world.server, world.alice)('POST', `${communityPath(world)}/apps/${appId}`);
  return appId;
}

async function makeMiniApp({ server, alice, owned }: World): Promise<string> {
  return (await caller(server, alice)('POST', '/miniapps', miniAppBody(owned.organization?.id ?? ''))).id;
}

/** A mini-app that may be put before the operator again. */
async function makeRejectedMiniApp(world: World): Promise<string> {
  const id = await makeMiniApp(world);
  await decideMiniApp(operatorOf(world.server), { id, decision: 'reject' });
  return id;
}

async function makeSpace({ server, alice, community: { id } }: World): Promise<string> {
  const space = `${nextName()}.eth`;
  await caller(server, alice)('POST', `/snapshot/communities/${encodeURIComponent(id)}/space`, { space });
  return space;
}

async function makeAuthorization({ server }: World): Promise<string> {
  const { id: clientId } = await server.apiKey(['user:read']);
  await noteAuthorization(server.services, { userId: aliceId, clientId, scopes: ['user:read'] });
  return clientId;
}

function drawPlans(world: World, { path }: Operation, share: Share): Promise<Samples> {
  return drawn('planId', path, share, () => makePlanOf(world));
}

function drawHandOvers({ server }: World): Promise<Samples> {
  return sampleHandOvers(server, attemptsPerRun);
}

function makePlanOf({ server, alice, community }: World): Promise<string> {
  return makePlan(caller(server, alice), community.id, people.alice);
}

async function makeApprovedPlan(world: World): Promise<string> {
  const planId = await makePlanOf(world);
  await caller(world.server, world.alice)('POST', `${rolePlansOf(world.community.id)}/${planId}/approve`);
  return planId;
}

async function makeFailedPlan(world: World): Promise<string> {
  const planId = await makePlanOf(world);
  await failPlan(world.server, planId);
  return planId;
}

async function makePass({ server, alice, community: { guildId, roleId } }: World): Promise<string> {
  const body = { name: nextName(), roleSet: [{ id: roleId }] };
  return (await caller(server, alice)('POST', `/discord/${guildId}/guest-passes`, body)).id;
}

async function makeHeldPass(world: World): Promise<string> {
  const passId = await makePass(world);
  const holders = `/latchkey/communities/${encodeURIComponent(world.community.id)}/guest-passes/${passId}/holders`;
  await caller(world.server, world.alice)('PUT', `${holders}/${encodeURIComponent(aliceId)}`);
  return passId;
}

async function makeWallet({ server, alice, outside }: World): Promise<string> {
  const account = privateKeyToAccount(keccak256(toHex(nextName())));
  const { address } = account;
  await linkWallet(caller(server, alice), outside, { address, sign: (message) => account.signMessage({ message }) });
  return address;
}

async function makeSession({ server, alice }: World): Promise<string> {
  await server.aeToken(aliceId);
  const sessions: { id: string; isCurrent: boolean }[] = await caller(server, alice)(
    'GET',
    '/latchkey/account/sessions',
  );
  return sessions.find(({ isCurrent }) => !isCurrent)?.id ?? '';
}

async function makeWalletLink(world: World): Promise<string> {
  const address = await makeWallet(world);
  const wallets: { id: string; address: string }[] = await caller(world.server, world.alice)(
    'GET',
    '/latchkey/account/wallets',
  );
  return wallets.find((wallet) => wallet.address === address)?.id ?? '';
}

async function makeAppWithSecrets({ server, alice }: World): Promise<string> {
  const app = { name: nextName(), clientType: 'confidential', webhookUrl: 'https://hooks.example/latchkey' };
  return (await caller(server, alice)('POST', '/client-apps', app)).id;
}

async function makeSubreddit({ server, alice, outside }: World): Promise<string> {
  return (await linkSubreddit(server, outside, people.alice, caller(server, alice))).subredditId;
}

async function makeInteraction(world: World, _operation: Operation, share: Share): Promise<Samples> {
  const { server, outside, community } = world;
  const { interactionId } = await startInteraction(server, outside, people.alice, community);
  const path = '/discord/webhooks/{interactionId}/messages/{messageId}';
  return { interactionId, ...(await drawn('messageId', path, share, () => sendFollowUp(server, interactionId))) };
}
