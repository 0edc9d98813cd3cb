import { contextFor, givePlan, noteInteraction, noteMember, registerMiniApp } from '@latchkey/core';
import { keepInteraction } from '@latchkey/core/testing/insides';
import { sql } from '@latchkey/db';
import type { SampleMember } from '@latchkey/emulators/sample-world';
import type { Call } from './call-api.ts';
import { type OutsideWorld, people } from './outside-world.ts';
import type { TestServer } from './test-server.ts';

/** A community on Discord with one of everything. */
export interface CommunityFixture {
  id: string;
  guildId: string;
  channelId: string;
  roleId: string;
  ruleId: string;
  draftId: string;
  passId: string;
  appId: string;
  /** A request whose result is read later. */
  requestId: string;
  /** Claims of ownership, for anyone to check. */
  claim: string;
  interactionId: string;
  messageId: string;
  subredditId: string;
  subreddit: string;
  /** A finished export of its members. */
  exportId: string;
  importId: string;
  changeSets: ChangeSetsFixture;
}

/** A change set for each possible action. */
export interface ChangeSetsFixture {
  shown: string;
  approved: string;
  rejected: string;
  /** It was already approved. */
  undone: string;
  failed: string;
  /** It gives a role. */
  granting: string;
  /** A rule change led to it. */
  restorable: string;
  /** A comment on the one that is shown. */
  commentId: string;
}

export const miniAppId = 'sample-app';
export const supportUrl = 'https://help.example/premium';

export const botPermissions = [
  'MANAGE_ROLES',
  'BAN_MEMBERS',
  'MANAGE_CHANNELS',
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
] as const;

/** Lets an owner link a wallet, add a guild and a subreddit, and use every part of the community. */
export async function setUpCommunity(
  server: TestServer,
  outside: OutsideWorld,
  owner: SampleMember,
  call: Call,
): Promise<CommunityFixture> {
  await linkWallet(call, outside, owner);
  const { guildId, channelId, roleId } = makeGuild(outside, owner);
  const { id } = await call('POST', '/communities', { platform: 'discord', communityId: guildId, name: 'Cats' });
  await postponeResync(server, id);
  const path = `/communities/${encodeURIComponent(id)}`;
  const { sk: ruleId } = await call('POST', `${path}/tpcs`, keyRule(outside, roleId));
  await call('PUT', `${path}/wallet`);
  await installApp(server, call, path);
  await givePremiumSupport(server, id);
  await noteLife(server, guildId, owner);
  const pass = await call('POST', `/discord/${guildId}/guest-passes`, { name: 'Guest', roleSet: [{ id: roleId }] });
  const asset = keyAsset(outside);
  const { requestId } = await call('POST', '/access-control/check-roles', {
    account: owner.address,
    rules: [keyRule(outside, roleId)],
    async: true,
  });
  const { token } = await call('POST', '/asset-verification', { assets: [asset] });
  const memberExport = await call('POST', `/latchkey${path}/member-exports`, {});
  const draft = await call('POST', `/latchkey${path}/rule-drafts`, { rule: keyRule(outside, roleId) });
  const content = JSON.stringify([keyRule(outside, roleId)]);
  const ruleImport = await call('POST', `/latchkey${path}/rule-imports`, { source: 'original', content });
  await server.worker.idle();
  return {
    id,
    guildId,
    channelId,
    roleId,
    ruleId,
    draftId: draft.id,
    passId: pass.id,
    appId: miniAppId,
    requestId,
    exportId: memberExport.id,
    importId: ruleImport.id,
    claim: token,
    ...(await startInteraction(server, outside, owner, { id, channelId })),
    ...(await linkSubreddit(server, outside, owner, call)),
    changeSets: await makeChangeSets(server, call, { id, roleId, ruleId }, owner),
  };
}

async function makeChangeSets(
  server: TestServer,
  call: Call,
  community: OfCommunity,
  owner: SampleMember,
): Promise<ChangeSetsFixture> {
  const communityId = community.id;
  const make = () => makePlan(call, communityId, owner);
  const shown = await make();
  const changeSets = {
    shown,
    approved: await make(),
    rejected: await make(),
    undone: await make(),
    failed: await make(),
    granting: await make(),
    restorable: await make(),
    commentId: await makeComment(call, communityId, shown),
  };
  await planGrant(server, community, shown);
  await planGrant(server, community, changeSets.granting);
  await blameRule(server, community, changeSets.restorable);
  await failChangeSet(server, changeSets.failed);
  await call('POST', `${changeSetsOf(communityId)}/${changeSets.undone}/approve`);
  return changeSets;
}

export async function makePlan(call: Call, communityId: string, { userId }: SampleMember): Promise<string> {
  return (await call('POST', changeSetsOf(communityId), { userIds: [userId] })).id;
}

export async function makeComment(call: Call, communityId: string, planId: string): Promise<string> {
  return (await call('POST', `${changeSetsOf(communityId)}/${planId}/comments`, { text: 'Is this intended?' })).id;
}

type OfCommunity = Pick<CommunityFixture, 'id' | 'roleId' | 'ruleId'>;

/** As if a member who is not there any more were to get the role. */
export async function planGrant(server: TestServer, { id, roleId }: OfCommunity, planId: string): Promise<void> {
  await sql`
    insert into change_set_items (change_set_id, community_id, user_id, role_id, action, state, rank, reason, blocks)
    values (${planId}, ${id}, 'DIS#USER#1', ${roleId}, 'grant', 'planned', 1, '{}', '{}')`.execute(
    server.services.db.system,
  );
}

/** As if an edit of the rule had led to it, and it waited for an admin. */
export async function blameRule(server: TestServer, community: OfCommunity, planId: string): Promise<void> {
  await planGrant(server, community, planId);
  await sql`
    with change as (
      insert into community_rule_changes (community_id, rule_id, action, changed_by, changed_at, before, after)
      select community_id, id, 'changed', 'test', now(), state, state from community_rules, lateral (
        select jsonb_build_object('roleId', role_id, 'definition', definition, 'visibility', visibility) as state
      ) s where community_id = ${community.id} and id = ${community.ruleId}
      returning id
    )
    update change_sets set status = 'held', rule_change_ids = array(select id from change)
    where id = ${planId}`.execute(server.services.db.system);
}

/** As if the platform had refused it too often. */
export async function failChangeSet(server: TestServer, planId: string): Promise<void> {
  await sql`update change_sets set status = 'failed', finished_at = now() where id = ${planId}`.execute(
    server.services.db.system,
  );
}

export function changeSetsOf(communityId: string): string {
  return `/latchkey/communities/${encodeURIComponent(communityId)}/change-sets`;
}

/** Creates a guild with the bot, a role below it, and two members. */
export function makeGuild({ discord }: OutsideWorld, owner: SampleMember) {
  const guild = discord.createGuild({ name: 'Cats', ownerId: owner.userId, bot: [...botPermissions] });
  const role = discord.createRole(guild.id, { name: 'Key holder', color: 0x1a7f37 });
  discord.addMember(guild.id, { id: people.bob.userId, name: people.bob.name });
  const [channelId = ''] = guild.channels.keys();
  return { guildId: guild.id, channelId, roleId: role.id };
}

/** Returns the rule that holders of a key on the chain get the role. */
export function keyRule({ chain }: OutsideWorld, roleId: string) {
  return {
    name: 'Key holders',
    type: 'ERC721',
    chainId: chain.chainId,
    contractAddress: chain.contracts.erc721,
    roleId,
  };
}

/** Returns the assertion that no member gets the role without a key. */
export function keyAssertion(outside: OutsideWorld, roleId: string) {
  const { type, chainId, contractAddress } = keyRule(outside, roleId);
  const holds = { type, chainId, contractAddress, minToken: '1' };
  return { name: 'Key holders hold a key', never: { role: roleId, unless: { holds } } };
}

export function keyAsset({ chain }: OutsideWorld): string {
  return `evm:${chain.chainId}/ERC721:${chain.contracts.erc721}`;
}

interface SigningWallet {
  address: string;
  sign(message: string): Promise<string>;
}

/** Returns a signed message that links a wallet, once. */
export async function signLink(call: Call, { chain }: OutsideWorld, { address, sign }: SigningWallet) {
  const { message } = await call('GET', '/account/auth-message');
  return { chainId: `evm:${chain.chainId}`, address, message, signedMessage: await sign(message) };
}

export async function linkWallet(call: Call, outside: OutsideWorld, wallet: SigningWallet): Promise<void> {
  await call('POST', '/account/wallet-address', await signLink(call, outside, wallet));
}

const operatorOf = (server: TestServer) => contextFor(server.services, { kind: 'admin', name: 'test' });

async function installApp(server: TestServer, call: Call, path: string): Promise<void> {
  await registerMiniApp(operatorOf(server), {
    appId: miniAppId,
    appType: 'miniapp',
    developer: 'sample',
    name: 'Sample app',
    shortName: 'Sample',
    version: { name: '1.2.3' },
  });
  await call('POST', `${path}/apps/${miniAppId}`);
}

async function givePremiumSupport(server: TestServer, communityId: string): Promise<void> {
  const features = JSON.stringify([{ identifier: 'PREMIUM_SUPPORT', metadata: [supportUrl] }]);
  await sql`update plans set features = features || ${features}::jsonb where id = 'community'`.execute(
    server.services.db.system,
  );
  await givePlan(operatorOf(server), communityId, 'community');
}

/** A new community would be resynced within the next minute, whatever a test does meanwhile. */
async function postponeResync({ services }: TestServer, communityId: string): Promise<void> {
  await sql`update communities set next_check_at = now() + interval '1 day' where id = ${communityId}`.execute(
    services.db.system,
  );
}

/** Does what Discord's gateway would trigger: a user wrote a message. */
async function noteLife(server: TestServer, guildId: string, { userId, name }: SampleMember): Promise<void> {
  const { services } = server;
  await noteMember(services, 'discord', guildId, userId, { kind: 'joined', userName: name, roleIds: [] });
  await noteMember(services, 'discord', guildId, userId, { kind: 'active' });
  await noteInteraction(services.db.system, `DIS#COMM#${guildId}`, 'message', services.clock(), 3);
}

/** Creates an interaction that can still be continued, and a message that was sent for it. */
export async function startInteraction(
  server: TestServer,
  outside: OutsideWorld,
  { userId }: SampleMember,
  { id, channelId }: Pick<CommunityFixture, 'id' | 'channelId'>,
): Promise<{ interactionId: string; messageId: string }> {
  const interactionId = await keepInteraction(operatorOf(server), await outside.press(userId, channelId), id);
  return { interactionId, messageId: await sendFollowUp(server, interactionId) };
}

export async function sendFollowUp(server: TestServer, interactionId: string): Promise<string> {
  const { json } = await server.request('POST', `/discord/webhooks/${interactionId}`, { json: { content: 'Done.' } });
  return json.id;
}

let subreddits = 0;

/** Links a subreddit as the operator, with the token of its moderator. */
export async function linkSubreddit(
  server: TestServer,
  { reddit }: OutsideWorld,
  { userId, name }: SampleMember,
  call: Call,
): Promise<Pick<CommunityFixture, 'subreddit' | 'subredditId'>> {
  subreddits += 1;
  const subreddit = `cats_${subreddits}`;
  if (reddit.world.user(name) === undefined) reddit.world.addUser(name);
  reddit.world.addSubreddit(subreddit, [name], ['Key holder']);
  const { json } = await server.request('POST', '/communities', {
    headers: { 'x-api-key': server.adminKey },
    json: { platform: 'reddit', communityId: subreddit, ownerId: `DIS#USER#${userId}` },
  });
  await call('POST', '/reddit/community', { communityName: subreddit, botToken: reddit.tokens.grant(name, ['*']) });
  return { subreddit, subredditId: json.id };
}
