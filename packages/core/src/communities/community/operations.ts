import {
  alsoLimited,
  app,
  listOf,
  NoContent,
  notFound,
  OpenObject,
  op,
  optional,
  pageOf,
  pageParams,
  resource,
  shape,
  T,
  text,
} from '@latchkey/kernel';
import {
  featuresOf,
  getPlan,
  listOfferedPlans,
  listPlans,
  notInPlan,
  SubscriptionPlan,
  sellsPlans,
} from '../../services/subscription-plans/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import {
  communityAdmin,
  communityReader,
  communityViewer,
  confirmedCommunityAdmin,
  readOfCommunity,
  scopelessReader,
} from '../access/index.ts';
import { maxAdmins, updateAdmins } from '../admins/index.ts';
import { selectActivePlans } from '../community-plans/index.ts';
import { installMiniApp, MiniAppManifest, uninstallMiniApp } from '../installs/index.ts';
import { patchCommunity, removeCommunity, replaceCommunity } from './change.ts';
import { Community, CommunityPartial, NewCommunity, Stats } from './community.ts';
import { createCommunity } from './create.ts';
import { findCommunities, getCommunityById, getStats } from './reads.ts';
import { CommunityWallet, createCommunityWallet, getCommunityWallet } from './wallet.ts';

const planOperations = [
  op(
    'GET /communities/plans',
    {
      id: 'getCommunityPlans',
      sdk: 'CommunityPlanController.getPlans',
      summary: 'List community plans',
      description: 'Returns every plan that is available to communities, cheapest first.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everyone.' }),
      returns: listOf(SubscriptionPlan, 'The plans, cheapest first.'),
    },
    getCommunityPlans,
  ),
  op(
    'GET /communities/plans/{planId}',
    {
      id: 'getCommunityPlan',
      sdk: 'CommunityPlanController.getPlan',
      summary: 'Get a community plan',
      description: 'Returns one community plan, by its id or its sk.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everyone.' }),
      params: { planId: T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 }) },
      returns: SubscriptionPlan,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getCommunityPlan,
  ),
  op(
    'GET /communities/{communityId}/subscriptions',
    {
      id: 'getCommunitySubscriptions',
      sdk: 'CommunityPlanController.getSubscriptions',
      summary: 'List a community’s plans',
      description:
        'Returns the plans that a community is on. For its admins, and for client applications that list it with `GET /communities`.',
      access: scopelessReader('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: listOf(SubscriptionPlan, 'Its plans, cheapest first.'),
    },
    getSubscriptions,
  ),
  op(
    'GET /communities/{id}/premium-support',
    {
      id: 'getPremiumSupportUrl',
      sdk: 'CommunityController.getPremiumSupportUrl',
      summary: 'Get the premium support address',
      description:
        'Returns the address of premium support, for communities whose plan includes it. The operator sets the address in the plan.',
      access: communityAdmin('id'),
      params: { id: communityParam },
      returns: shape(T.Object({ url: text('The support address.') })),
      errors: ['PLAN_LIMIT_REACHED'],
    },
    getPremiumSupportUrl,
  ),
] as const;

type PlanContext = Pick<Context, 'actor' | 'clock' | 'db'>;

export function getCommunityPlans(ctx: Pick<Context, 'clock' | 'db'>): Promise<SubscriptionPlan[]> {
  return listOfferedPlans(ctx, 'community');
}

export function getCommunityPlan(ctx: Pick<Context, 'db'>, { planId }: { planId: string }): Promise<SubscriptionPlan> {
  return getPlan(ctx, 'community', planId);
}

/** Returns the plans that a community is on. */
export async function getSubscriptions(
  ctx: PlanContext,
  { communityId }: { communityId: string },
): Promise<SubscriptionPlan[]> {
  const active = await readOfCommunity(
    ctx,
    communityId,
    async (tx, { id }) => (await selectActivePlans(tx, [id], ctx.clock())).get(id) ?? [],
  );
  const plans = await listPlans(ctx, 'community');
  return plans.filter(({ sk }) => active.includes(sk.slice('PLAN#'.length)));
}

/**
 * Returns the support address from the premium support feature of a community's plan. If plans are not sold, any plan
 * that has one will do.
 */
export async function getPremiumSupportUrl(
  ctx: PlanContext & Pick<Context, 'settings'>,
  { id }: { id: string },
): Promise<{ url: string }> {
  const own = (await getSubscriptions(ctx, { communityId: id })).map(({ sk }) => sk.slice('PLAN#'.length));
  const all = await listPlans(ctx, 'community');
  const planIds = sellsPlans(ctx) ? own : [...own, ...all.map(({ sk }) => sk.slice('PLAN#'.length))];
  const support = featuresOf(all, planIds).filter(({ identifier }) => identifier === 'PREMIUM_SUPPORT');
  if (support.length === 0 && sellsPlans(ctx)) throw notInPlan(all, own, 'PREMIUM_SUPPORT');
  const urls = support.flatMap(({ metadata }) => metadata ?? []);
  const url = urls.find((candidate) => URL.canParse(candidate));
  if (url === undefined) throw notFound('address of premium support');
  return { url };
}

const appParam = T.String({ description: 'The id of the mini-app.', minLength: 1, maxLength: 100 });

const appOperations = [
  op(
    'POST /communities/{communityId}/apps/{appId}',
    {
      id: 'installMiniApp',
      sdk: 'MiniAppController.installMiniApp',
      summary: 'Install a mini-app',
      description:
        'Installs a registered mini-app in a community, with the settings in the body. Installing it again updates it to the newest manifest and the new settings.',
      audit: 'community.app-install',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam, appId: appParam },
      body: optional(OpenObject),
      returns: MiniAppManifest,
      errors: ['PLAN_LIMIT_REACHED'],
      repeatable: true,
    },
    installMiniApp,
  ),
  op(
    'DELETE /communities/{communityId}/apps/{appId}',
    {
      id: 'uninstallMiniApp',
      sdk: 'MiniAppController.uninstallMiniApp',
      summary: 'Remove a mini-app',
      description: 'Removes a mini-app from a community, with its settings there.',
      audit: 'community.app-remove',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam, appId: appParam },
      readAt: '/latchkey/communities/{communityId}/apps/{appId}',
      returns: NoContent,
    },
    uninstallMiniApp,
  ),
] as const;

const include = T.Optional(
  T.String({ description: 'What to add: a comma-separated list of channels, quests, drops and tpcs.', maxLength: 100 }),
);

export const communities = resource('communities', 'Chat communities: their rules, admins, plans and wallets.', [
  ...planOperations,
  op(
    'POST /communities',
    {
      id: 'createCommunity',
      sdk: 'CommunityController.create',
      summary: 'Add a community',
      description:
        'Adds a community of a chat platform. The caller becomes its owner and must manage it on the platform, which is checked: Administrator or Manage Server in Discord, the right to invite and ban users in Telegram. The operator and apps owned by the operator can add any community and set its owner. Channels, quests and drops are stored as sent, and `adminUserId` is the user that members can contact. Status, admins, plans, rules and statistics are not read from the body.',
      audit: 'community.create',
      access: app('community:write'),
      body: NewCommunity,
      returns: Community,
      errors: ['ROLE_NOT_ALLOWED', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    createCommunity,
  ),
  op(
    'GET /communities',
    {
      id: 'findCommunities',
      sdk: 'CommunityController.find',
      summary: 'List communities',
      description:
        'Returns the communities that the caller manages, by their ids, page by page. A client application sees those of the user who created it, and those whose admins granted it community:read; the operator and apps owned by the operator see all.',
      access: app('community:read', '$internal'),
      params: { ...pageParams, include },
      returns: pageOf(Community, 'CommunityPage'),
      paginated: 'token',
    },
    findCommunities,
  ),
  op(
    'PUT /communities/{id}',
    {
      id: 'replaceCommunity',
      sdk: 'CommunityController.replaceById',
      summary: 'Replace a community',
      description:
        'Replaces the stored data of a community. Fields that are missing from the body are cleared, except name and status. Its platform, owner, admins, plans, rules and statistics are not read from the body.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('id', '$internal'),
      params: { id: communityParam },
      body: Community,
      returns: NoContent,
    },
    replaceCommunity,
  ),
  op(
    'PATCH /communities/{id}',
    {
      id: 'updateCommunity',
      sdk: 'CommunityController.updateById',
      summary: 'Update a community',
      description:
        'Updates only the fields of a community that are in the body. Its platform, owner, admins, plans, rules and statistics are not read from the body.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('id', '$internal'),
      params: { id: communityParam },
      body: CommunityPartial,
      returns: NoContent,
    },
    patchCommunity,
  ),
  op(
    'GET /communities/{id}',
    {
      id: 'findCommunityById',
      sdk: 'CommunityController.findById',
      summary: 'Get a community',
      description:
        'Returns one community. For its members and admins, and for client applications that list it with `GET /communities`. Members do not see its admins and plans.',
      access: communityViewer('id', 'community:read'),
      params: { id: communityParam, include },
      returns: Community,
    },
    getCommunityById,
  ),
  op(
    'DELETE /communities/{id}',
    {
      id: 'deleteCommunity',
      sdk: 'CommunityController.deleteById',
      summary: 'Remove a community',
      description:
        'Deletes a community with its rules, members and settings. Nothing changes on the platform: everyone keeps their roles.',
      audit: 'community.delete',
      access: confirmedCommunityAdmin('id', '$internal'),
      params: { id: communityParam },
      returns: NoContent,
    },
    removeCommunity,
  ),
  op(
    'PATCH /communities/{id}/admins',
    {
      id: 'updateAdmins',
      sdk: 'CommunityController.updateAdmins',
      summary: 'Replace a community’s admins',
      description: `Replaces the list of a community’s admins. It must include the owner, and can have at most ${maxAdmins} users. A user who does not manage the community on its platform stays an admin until they leave it, or until the admin who added them is removed.`,
      audit: 'community.admins',
      access: confirmedCommunityAdmin('id', 'community:write'),
      params: { id: communityParam },
      body: T.Unsafe<string[]>(
        T.Array(text('The id of a user, for example DIS#USER#123.', { maxLength: 100 }), {
          description: 'The ids of all admins from now on.',
          minItems: 1,
          maxItems: maxAdmins,
        }),
      ),
      readAt: '/latchkey/communities/{id}/admins',
      returns: NoContent,
    },
    updateAdmins,
  ),
  ...appOperations,
  op(
    'GET /communities/{id}/stats',
    {
      id: 'getStats',
      sdk: 'CommunityController.getStats',
      summary: 'Get a community’s statistics',
      description:
        'Returns statistics based on observed activity in a community. Unknown values are absent. For its members and admins, and for client applications that list it with `GET /communities`.',
      access: communityViewer('id', 'community:read'),
      params: { id: communityParam },
      returns: Stats,
    },
    getStats,
  ),
  op(
    'PUT /communities/{communityId}/wallet',
    {
      id: 'createCommunityWallet',
      sdk: 'CommunityWalletController.createWallet',
      summary: 'Create a community’s wallet',
      description:
        'Creates the wallet of a community: a Safe whose owner key is created and kept by the signer. The address can receive funds at once; the contract is deployed by POST /latchkey/treasuries/{address}/deploy or with the first transfer. Repeated calls return the same wallet. Fails with UNAVAILABLE while the signer is down.',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      returns: CommunityWallet,
      errors: ['UNAVAILABLE'],
    },
    createCommunityWallet,
  ),
  op(
    'GET /communities/{communityId}/wallet',
    {
      id: 'getCommunityWallet',
      sdk: 'CommunityWalletController.getWalletDetail',
      summary: 'Get a community’s wallet',
      description:
        'Returns the Safe of the community with its status and balance as its chain shows them; 404 until it is created. For its admins, and for client applications that list it with `GET /communities`.',
      access: communityReader('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: CommunityWallet,
    },
    getCommunityWallet,
  ),
]);
