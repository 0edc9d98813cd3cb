import { aliceId } from './identities.ts';
import { type OutsideWorld, people } from './outside-world.ts';
import type { Sample, Samples } from './sample-request.ts';
import { served } from './served.ts';
import {
  type ChangeSetsFixture,
  type CommunityFixture,
  keyAssertion,
  keyAsset,
  keyRule,
  makeGuild,
} from './set-up-community.ts';

/** Samples for requests about a community. */
export function sampleCommunity(outside: OutsideWorld, community: CommunityFixture): Samples {
  const { chain } = outside;
  const { roleId } = community;
  return {
    ...communityIds((isReddit) => (isReddit ? community.subredditId : community.id)),
    ...textSamples,
    ...freeBodies,
    tpcId: community.ruleId,
    passId: community.passId,
    appId: community.appId,
    channelId: community.channelId,
    messageId: community.messageId,
    interactionId: community.interactionId,
    'GET /access-control/check-roles/responses/{requestId} requestId': community.requestId,
    'GET /asset-verification/{token} token': community.claim,
    account: `evm:${chain.chainId}:${people.alice.address}`,
    address: people.alice.address,
    assets: keyAsset(outside),
    'POST /asset-verification assets': keyAsset(outside),
    network: String(chain.chainId),
    'GET /ethereum-nfts/{address}/attributes address': chain.contracts.erc721,
    'GET /ethereum-nfts/{address}/attributes network': String(chain.chainId),
    rules: (dice) => [{ ...keyRule(outside, roleId), minToken: dice.pick(['1', '2', '0.5']) }],
    'POST /access-control/check-roles rules': (dice) => [
      { ...keyRule(outside, roleId), minToken: dice.pick(['1', '2', '0.5']) },
    ],
    'POST /access-control/check-roles account': people.alice.address,
    'POST /communities platform': 'discord',
    'POST /communities communityId': () => makeGuild(outside, people.alice).guildId,
    ...ruleBodies(outside, roleId),
    ...ruleBuilding(outside, community),
    'POST /discord/{guildId}/guest-passes name': 'Guest',
    'POST /discord/{guildId}/guest-passes roleSet': () => [{ id: roleId, name: 'Key holder' }],
    'POST /analytics/{communityId}/role-distribution body': () => [{ id: roleId, name: 'Key holder', color: 1 }],
    'POST /analytics/{communityId}/roles-added body': () => [{ id: roleId, name: 'Key holder', color: 1 }],
    'POST /reddit/community body': () => ({
      communityName: community.subreddit,
      botToken: outside.reddit.tokens.grant(people.alice.name, ['*']),
    }),
    ...roleManagerBodies(community.id),
    ...changeSetIds(community.changeSets),
    'GET /latchkey/communities/{communityId}/members roleIds': roleId,
    'GET /latchkey/communities/{communityId}/roles/{roleId}/holders roleId': roleId,
    'POST /latchkey/operator/communities/{communityId}/transfer communityId': community.id,
    'POST /latchkey/client-apps/{id}/events/replay communityId': community.id,
    'GET /latchkey/account/communities/{communityId}/roles communityId': community.id,
    'GET /latchkey/account/communities/{communityId}/role-check communityId': community.id,
    'GET /latchkey/account/communities/{communityId}/role-steps communityId': community.id,
    'POST /latchkey/account/communities/{communityId}/role-check communityId': community.id,
    'GET /latchkey/communities/{communityId}/member-exports/{exportId}/content exportId': community.exportId,
  };
}

function changeSetIds(changeSets: ChangeSetsFixture): Samples {
  const { shown, approved, rejected, undone, failed, granting, restorable, commentId } = changeSets;
  const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';
  return {
    [`GET ${path} changeSetId`]: shown,
    [`GET ${path}/undo changeSetId`]: failed,
    [`POST ${path}/approve changeSetId`]: approved,
    [`POST ${path}/reject changeSetId`]: rejected,
    [`POST ${path}/undo changeSetId`]: undone,
    [`POST ${path}/retry changeSetId`]: failed,
    [`POST ${path}/approve-grants changeSetId`]: granting,
    [`POST ${path}/reject-and-restore changeSetId`]: restorable,
    [`GET ${path}/reasons changeSetId`]: shown,
    [`GET ${path}/comments changeSetId`]: shown,
    [`POST ${path}/comments changeSetId`]: shown,
    [`POST ${path}/comments text`]: 'Is this intended?',
    [`DELETE ${path}/comments/{commentId} changeSetId`]: shown,
    [`DELETE ${path}/comments/{commentId} commentId`]: commentId,
  };
}

/** Returns the parameter with which each operation names a community, with a value for it. */
export function communityIds(draw: (isReddit: boolean) => Sample): Samples {
  const named = served.filter(({ contract }) => contract.access.object?.what === 'community');
  return Object.fromEntries(
    named.map(({ route, path, contract }) => [
      `${route} ${contract.access.object?.param}`,
      draw(path.startsWith('/reddit/') || path.endsWith('/devvit')),
    ]),
  );
}

const message = () => ({ content: 'Hello.' });

/** An object may have any fields in these: a shop that sends its visitor back, and a greeting. */
const freeBodies: Samples = {
  'POST /states body': () => ({ orderId: '42', returnTo: '/members' }),
  'POST /stripe/subscription/{planId} state': () => ({ step: 'checkout' }),
  'POST /unlock/subscription/{planId} state': () => ({ step: 'checkout' }),
  'PUT /latchkey/communities/{communityId}/apps/{appId}/settings body': () => ({ greeting: 'Welcome!' }),
};

const textSamples: Samples = {
  userId: aliceId,
  userIds: aliceId,
  at: '2026-01-31T12:00:00Z',
  memberId: people.alice.userId,
  ownerId: aliceId,
  adminUserId: aliceId,
  'PATCH /communities/{id}/admins body': () => [aliceId],
  'GET /communities/plans/{planId} planId': 'starter',
  include: 'tpcs,channels',
  range: '7d',
  before: '300000000000000000',
  after: '100000000000000000',
  period: 3600,
  delay: 0,
  callbackUrl: 'http://127.0.0.1:9/hook',
  'POST /discord/guilds/{guildId}/roles color': '#1a7f37',
  'POST /discord/guilds/{guildId}/roles permissions': 1024,
  'POST /discord/guilds/{guildId}/roles position': 1,
  'POST /discord/{guildId}/channels/{channelId}/message body': message,
  'POST /discord/webhooks/{interactionId} body': message,
  'PATCH /discord/webhooks/{interactionId}/messages/{messageId} body': message,
};

/** A rule that the community does not have: an identical one is refused or causes a warning. */
function newRule(outside: OutsideWorld, roleId: string, least: number): Sample {
  return (dice) => ({ ...keyRule(outside, roleId), minToken: String(least + dice.below(100_000)) });
}

function ruleBodies(outside: OutsideWorld, roleId: string): Samples {
  const body: Sample = (dice) => ({ ...keyRule(outside, roleId), minToken: dice.pick(['1', '2', '3']) });
  return {
    'POST /communities/{id}/tpcs body': newRule(outside, roleId, 4),
    'PUT /communities/{id}/tpcs/{tpcId} body': body,
  };
}

/** Samples for requests of the rule builder. */
function ruleBuilding(outside: OutsideWorld, { roleId, ruleId, draftId, importId }: CommunityFixture): Samples {
  const { chain } = outside;
  const path = '/latchkey/communities/{communityId}';
  const rule: Sample = (dice) => ({ ...keyRule(outside, roleId), minToken: dice.pick(['1', '2', '3']) });
  return {
    [`GET ${path}/rules search`]: 'key',
    [`POST ${path}/rules rule`]: newRule(outside, roleId, 200_000),
    [`GET ${path}/rules/{ruleId} ruleId`]: ruleId,
    [`PUT ${path}/rules/{ruleId} ruleId`]: ruleId,
    [`PUT ${path}/rules/{ruleId} body`]: (dice) => ({
      rule: { ...keyRule(outside, roleId), minToken: dice.pick(['1', '2', '3']) },
      visibility: dice.pick(['public', 'secret', 'hidden']),
    }),
    [`DELETE ${path}/rules/{ruleId} ruleId`]: ruleId,
    [`DELETE ${path}/rules/{ruleId} roles`]: 'take',
    [`GET ${path}/rules/{ruleId}/deletion ruleId`]: ruleId,
    [`GET ${path}/rules/{ruleId}/deletion roles`]: 'take',
    [`GET ${path}/rules/{ruleId}/history ruleId`]: ruleId,
    [`POST ${path}/rule-drafts body`]: () => ({ rule: keyRule(outside, roleId) }),
    [`DELETE ${path}/rule-drafts/{draftId} draftId`]: draftId,
    [`POST ${path}/rule-drafts/describe rule`]: rule,
    [`POST ${path}/rule-drafts/describe ruleId`]: ruleId,
    [`POST ${path}/rule-drafts/try body`]: () => ({
      rule: keyRule(outside, roleId),
      account: people.alice.address,
    }),
    [`POST ${path}/rule-drafts/preview body`]: () => ({ rule: keyRule(outside, roleId), ruleId }),
    [`POST ${path}/rule-set/plan body`]: () => ({
      rules: [{ id: ruleId, rule: keyRule(outside, roleId) }],
      unlisted: 'keep',
    }),
    // samplesFor fills in the version. The example has a rule; many requests at once would race for it.
    [`PUT ${path}/rule-set body`]: (dice) => ({
      version: 'any',
      ...(!dice.chance(1) && { rules: [{ id: ruleId, rule: { ...keyRule(outside, roleId), minToken: '2' } }] }),
      unlisted: 'keep',
    }),
    [`PUT ${path}/rule-set/brakes body`]: () => ({ version: 'any', brakes: { approvers: 1, roles: [] } }),
    [`GET ${path}/rule-set/progress firstRuleChangeId`]: '1',
    [`POST ${path}/rule-imports body`]: () => ({
      source: 'original',
      content: JSON.stringify([keyRule(outside, roleId)]),
    }),
    [`GET ${path}/rule-imports/{importId} importId`]: importId,
    [`POST ${path}/rule-imports/{importId}/apply importId`]: importId,
    [`POST ${path}/rule-imports/{importId}/apply body`]: () => ({ positions: [0] }),
    [`PUT ${path}/rule-assertions body`]: () => ({ assertions: [keyAssertion(outside, roleId)] }),
    [`GET ${path}/tokens search`]: chain.contracts.erc721,
    [`GET ${path}/tokens chainId`]: chain.chainId,
    [`GET ${path}/tokens type`]: 'ERC721',
    [`GET ${path}/contract type`]: 'ERC721',
    [`GET ${path}/contract chainId`]: chain.chainId,
    [`GET ${path}/contract contractAddress`]: chain.contracts.erc721,
    [`GET ${path}/contract tokenId`]: '1',
    [`GET ${path}/contract-abi chainId`]: chain.chainId,
    [`GET ${path}/contract-abi contractAddress`]: chain.contracts.erc721,
    [`GET ${path}/token-picture chainId`]: chain.chainId,
    [`GET ${path}/token-picture contractAddress`]: chain.contracts.erc721,
  };
}

function roleManagerBodies(communityId: string): Samples {
  const routes = ['check-community-roles', 'check-user-roles', 'schedule'].map((name) => `POST /role-manager/${name}`);
  return Object.fromEntries(
    routes.flatMap((route) => [
      [`${route} communityId`, communityId],
      [`${route} userId`, aliceId],
    ]),
  );
}
