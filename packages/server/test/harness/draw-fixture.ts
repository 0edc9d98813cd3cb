import { createAdminKey, setPlan } from '@latchkey/core';
import { isUnavailable, sql } from '@latchkey/db';
import type { Operation } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import {
  makeAdmin,
  makeApp,
  makeApprovedChangeSet,
  makeAppWithSecrets,
  makeAuthorization,
  makeBackDoor,
  makeChangeSetOf,
  makeCommentOf,
  makeCommunity,
  makeDescriber,
  makeDraft,
  makeExport,
  makeFailedChangeSet,
  makeGrantingChangeSet,
  makeHeldPass,
  makeImport,
  makeMiniApp,
  makePass,
  makeRejectedMiniApp,
  makeRestorableChangeSet,
  makeRule,
  makeSession,
  makeShadowed,
  makeSigningApp,
  makeSoldPlan,
  makeSpace,
  makeSubreddit,
  makeWaitingApp,
  makeWallet,
  makeWalletLink,
  operatorOf,
  pairSubreddit,
} from './make-fixture.ts';
import type { Share } from './operation-samples.ts';
import { people } from './outside-world.ts';
import { sampleHandoffs } from './sample-handoffs.ts';
import { connectLinkedRoles, sampleLinkedRoles } from './sample-linked-roles.ts';
import { samplePlayground } from './sample-playground.ts';
import { consentOnReddit, sampleReddit } from './sample-reddit.ts';
import type { Samples } from './sample-request.ts';
import { enrollAnew, proposeAnew } from './sample-treasury.ts';
import { sampleWallets } from './sample-wallets.ts';
import { linkX, sampleXLinks } from './sample-x.ts';
import { served } from './served.ts';
import { letAppIn } from './set-up-apps.ts';
import { linkWallet, sendFollowUp, startInteraction } from './set-up-community.ts';
import { askForConsent } from './set-up-oauth.ts';
import { lockedPlan } from './set-up-partners.ts';
import { sampleLinks, type World } from './set-up-world.ts';
import { sampleSignedCalls } from './signed-calls.ts';
import type { TestServer } from './test-server.ts';

const fixturesPerRun = 40;
const linksPerRun = 110;
/** The maximum that is valid at a time. */
const attemptsPerRun = 5;

/** Creates objects of alice's that a run may change and delete, so that those of other runs remain. */
type MakeFixture = (world: World, operation: Operation, share: Share) => Promise<Samples>;

const fixtures: Readonly<Record<string, MakeFixture>> = {
  '/communities/{id}': (world, { path }, share) => drawn('id', path, share, () => makeCommunity(world)),
  '/communities/{id}/tpcs/{tpcId}': (world, { path }, share) => drawn('tpcId', path, share, () => makeRule(world)),
  '/latchkey/communities/{communityId}/rules/{ruleId}': (world, { path }, share) =>
    drawn('ruleId', path, share, () => makeRule(world)),
  '/latchkey/communities/{communityId}/rule-drafts/{draftId}': (world, { path }, share) =>
    drawn('draftId', path, share, () => makeDraft(world)),
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
  '/latchkey/account/authenticators/{requestId}': ({ server }) => enrollAnew(server),
  '/latchkey/account/authenticators/{requestId}/confirm': ({ server }) => enrollAnew(server),
  '/latchkey/account/wallets/{id}/sign-in': (world, { path }, share) =>
    drawn('id', path, share, () => makeWalletLink(world)),
  '/latchkey/client-apps/{id}/client-secret': (world, { path }, share) =>
    drawn('id', path, share, () => makeAppWithSecrets(world)),
  '/latchkey/client-apps/{id}/api-key': (world, { path }, share) =>
    drawn('id', path, share, () => makeAppWithSecrets(world)),
  '/latchkey/client-apps/{id}/webhook-secret': (world, { path }, share) =>
    drawn('id', path, share, () => makeAppWithSecrets(world)),
  ...Object.fromEntries(
    ['close', 'expected'].map((end) => [
      `/latchkey/communities/{communityId}/back-doors/{backDoorId}/${end}`,
      (world, { path }, share) => drawn('backDoorId', path, share, () => makeBackDoor(world)),
    ]) satisfies [string, MakeFixture][],
  ),
  // So that the lists show one.
  '/latchkey/communities/{communityId}/back-doors': (world) => makeBackDoor(world).then(() => ({})),
  '/latchkey/communities/{communityId}/back-doors/check': (world) => makeBackDoor(world).then(() => ({})),
  '/latchkey/communities/{communityId}/applications/{clientId}': ({ server, alice, community }, { path }, share) =>
    drawn('clientId', path, share, () => letAppIn(server, alice, community.id)),
  '/latchkey/communities/{communityId}/member-exports/{exportId}/content': async (world, { route }) => ({
    [`${route} exportId`]: await makeExport(world),
  }),
  '/latchkey/communities/{communityId}/rule-imports/{importId}': async (world, { route }) => ({
    [`${route} importId`]: await makeImport(world),
  }),
  '/latchkey/communities/{communityId}/rule-imports/{importId}/apply': async (world, { route }) => ({
    [`${route} importId`]: await makeImport(world),
  }),
  // A separate community, or the sample community would no longer be written to.
  '/latchkey/communities/{communityId}/shadow-mode': async (world, { route }) => ({
    [`${route} communityId`]: await makeShadowed(world),
  }),
  '/latchkey/communities/{communityId}/shadow-mode/take-over': async (world, { route }) => ({
    [`${route} communityId`]: await makeShadowed(world),
  }),
  '/latchkey/communities/{communityId}/shadow-mode/return': async (world, { route }) => ({
    [`${route} communityId`]: await makeShadowed(world, true),
  }),
  '/latchkey/communities/{communityId}': (world, { path }, share) =>
    drawn('communityId', path, share, () => makeCommunity(world)),
  '/latchkey/communities/{communityId}/admins/{userId}': (world, { path }, share) =>
    drawn('userId', path, share, () => makeAdmin(world)),
  '/latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}': (world, { path }, share) =>
    drawn('passId', path, share, () => makeHeldPass(world)),
  '/latchkey/communities/{communityId}/change-sets/{changeSetId}/approve': drawChangeSets,
  '/latchkey/communities/{communityId}/change-sets/{changeSetId}/reject': drawChangeSets,
  '/latchkey/communities/{communityId}/change-sets/{changeSetId}/approve-grants': (world, { path }, share) =>
    drawn('changeSetId', path, share, () => makeGrantingChangeSet(world)),
  '/latchkey/communities/{communityId}/change-sets/{changeSetId}/reject-and-restore': (world, { path }, share) =>
    drawn('changeSetId', path, share, () => makeRestorableChangeSet(world)),
  '/latchkey/communities/{communityId}/change-sets/{changeSetId}/comments/{commentId}': (world, { path }, share) =>
    drawn('commentId', path, share, () => makeCommentOf(world)),
  '/latchkey/communities/{communityId}/change-sets/{changeSetId}/undo': (world, { path }, share) =>
    drawn('changeSetId', path, share, () => makeApprovedChangeSet(world)),
  '/latchkey/communities/{communityId}/change-sets/{changeSetId}/retry': (world, { path }, share) =>
    drawn('changeSetId', path, share, () => makeFailedChangeSet(world)),
  '/latchkey/operator/applications/{id}/decision': (world, { path }, share) =>
    drawn('id', path, share, () => makeWaitingApp(world)),
  '/latchkey/operator/mini-apps/{id}/decision': (world, { path }, share) =>
    drawn('id', path, share, () => makeMiniApp(world)),
  '/latchkey/operator/applications/{clientId}/signing-domains/{domain}': (world, { path }, share) =>
    drawn('clientId', path, share, () => makeSigningApp(world)),
  '/latchkey/nft-contracts/{chainId}/{address}/describers/{describerId}': (world, { path }, share) =>
    drawn('describerId', path, share, () => makeDescriber(world)),
  '/latchkey/treasuries/{address}/transfers': proposeAnew,
  '/latchkey/treasuries/{address}/handoff': proposeAnew,
  '/latchkey/treasuries/{address}/actions/{actionId}/approve': proposeAnew,
  '/latchkey/operator/admin-keys/{id}': ({ server }, { path }, share) =>
    drawn('id', path, share, async () => (await createAdminKey(server.services, 'fixture')).id),
  '/latchkey/plans/{planId}': (world, { path }, share) => drawn('planId', path, share, () => makeSoldPlan(world)),
  '/latchkey/plans/{planId}/subscribers/{subscriberId}': ({ server, owned }) =>
    setPlan(operatorOf(server), owned.organization?.id ?? '', lockedPlan).then(() => ({})),
  '/latchkey/account/linked-roles': (world, { method }) =>
    method === 'DELETE' ? connectLinkedRoles(world).then(() => ({})) : sampleLinkedRoles(world, attemptsPerRun),
  '/latchkey/account/reddit-consent': (world, { method }) =>
    method === 'GET' ? consentOnReddit(world).then(() => ({})) : sampleReddit(world, attemptsPerRun),
  '/latchkey/account/reddit-consent/subreddits': (world) => consentOnReddit(world).then(() => ({})),
  '/latchkey/account/x': (world, { method }) =>
    method === 'DELETE' ? linkX(world).then(() => ({})) : sampleXLinks(world, attemptsPerRun),
  '/latchkey/handoffs/state': drawHandoffs,
  '/latchkey/handoffs/message': drawHandoffs,
  '/latchkey/handoffs/proof': drawHandoffs,
  '/latchkey/handoffs/accept': drawHandoffs,
  '/latchkey/playgrounds/state': ({ server }) => samplePlayground(server),
  '/latchkey/playgrounds/actions': ({ server }) => samplePlayground(server),
  '/account/wallet-address': ({ server, alice, outside }, _operation, share) =>
    sampleLinks(caller(server, alice), outside, share(linksPerRun)),
  '/reddit/unlink-token': (world, { path }, share) => drawn('communityId', path, share, () => makeSubreddit(world)),
  '/latchkey/communities/{communityId}/devvit': (world) => pairSubreddit(world).then(() => ({})),
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

export async function drawFixtures(world: World, operation: Operation, share: Share): Promise<Samples> {
  const { server, alice, outside, community } = world;
  await clearAway(world);
  const isAboutWallets = /^\/(wallet-manager|tokenproof|evm\/venly)\//.test(operation.path);
  const countFor = (route: string) => (route === operation.route ? share(fixturesPerRun) : 1);
  return {
    ...(isAboutWallets && (await sampleWallets({ server, outside, authorization: alice }, community, countFor))),
    ...(await fixtures[operation.path]?.(world, operation, share)),
  };
}

/** Deletes what earlier runs added: every rule and every wallet makes later checks of alice slower, and a lock refuses fixtures. */
async function clearAway(world: World): Promise<void> {
  const { server, alice, outside, community } = world;
  const { id, ruleId, draftId } = community;
  const { system } = server.services.db;
  // A worker may be busy in one of them, and the database ends one side of a deadlock.
  await until('the communities are gone', () =>
    sql`delete from communities where owner_id = ${aliceId} and platform = 'discord' and id <> ${id}`
      .execute(system)
      .catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
      }),
  );
  await sql`delete from community_rules where community_id = ${id} and id <> ${ruleId}`.execute(system);
  await sql`
    delete from change_set_comments where community_id = ${id} and id <> ${community.changeSets.commentId}`.execute(
    system,
  );
  await sql`delete from managed_rules where community_id = ${id}`.execute(system);
  await sql`delete from rule_drafts where community_id = ${id} and id <> ${draftId}`.execute(system);
  if ((await readWallets(world)) === linked.get(world.server)) return;
  await sql`delete from wallet_connections where user_id = ${aliceId}`.execute(system);
  await linkWallet(caller(server, alice), outside, people.alice);
  linked.set(world.server, await readWallets(world));
}

/** What was stored when alice had just linked her wallet; linking it again for every operation takes long. */
const linked = new WeakMap<TestServer, string>();

async function readWallets({ server }: World): Promise<string> {
  const { rows } = await sql<{ wallets: string }>`
    select jsonb_agg(to_jsonb(w) || jsonb_build_object('communities', (
      select jsonb_agg(to_jsonb(c)) from wallet_communities c where c.link_id = w.id
    )))::text as wallets from wallet_connections w where user_id = ${aliceId}`.execute(server.services.db.system);
  return String(rows[0]?.wallets);
}

/** Returns ids to draw from, for every operation on the path. */
async function drawn(name: string, path: string, share: Share, make: () => Promise<string>): Promise<Samples> {
  const ids: string[] = [];
  while (ids.length < share(fixturesPerRun)) ids.push(await make());
  // In turn, since many of them can be used only once.
  let next = 0;
  const draw = () => ids[next++ % ids.length];
  return Object.fromEntries(
    served.filter((other) => other.path === path).map(({ route }) => [`${route} ${name}`, draw]),
  );
}

function drawChangeSets(world: World, { path }: Operation, share: Share): Promise<Samples> {
  return drawn('changeSetId', path, share, () => makeChangeSetOf(world));
}

function drawHandoffs({ server }: World): Promise<Samples> {
  return sampleHandoffs(server, attemptsPerRun);
}

async function makeInteraction(world: World, _operation: Operation, share: Share): Promise<Samples> {
  const { server, outside, community } = world;
  const { interactionId } = await startInteraction(server, outside, people.alice, community);
  const path = '/discord/webhooks/{interactionId}/messages/{messageId}';
  return { interactionId, ...(await drawn('messageId', path, share, () => sendFollowUp(server, interactionId))) };
}
