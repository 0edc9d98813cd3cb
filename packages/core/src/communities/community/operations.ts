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
import type { Context } from '../../shared/context.ts';
import {
  communityAdmin,
  communityReader,
  communityViewer,
  confirmedCommunityAdmin,
  readOfCommunity,
  scopelessReader,
} from './access/guards.ts';
import { maxAdmins, updateAdmins } from './admins/change-admins.ts';
import { patchCommunity, removeCommunity, replaceCommunity } from './change.ts';
import { Community, CommunityPartial, NewCommunity, Stats } from './community.ts';
import { createCommunity } from './create.ts';
import { installMiniApp, uninstallMiniApp } from './installs/install-app.ts';
import { MiniAppManifest } from './installs/manifest.ts';
import { communityParam } from './params.ts';
import { selectActivePlans } from './plans.ts';
import { findCommunities, getCommunityById, getStats } from './reads.ts';
import { CommunityWallet, createCommunityWallet, getCommunityWallet } from './wallet.ts';

const planOperations = [
  op(
    'GET /communities/plans',
    {
      id: 'getCommunityPlans',
      sdk: 'CommunityPlanController.getPlans',
      summary: 'List the plans for communities',
      description: 'Returns every plan a community can be on, the cheapest first.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everybody.' }),
      returns: listOf(SubscriptionPlan, 'The plans, the cheapest first.'),
    },
    getCommunityPlans,
  ),
  op(
    'GET /communities/plans/{planId}',
    {
      id: 'getCommunityPlan',
      sdk: 'CommunityPlanController.getPlan',
      summary: 'Read a plan for communities',
      description: 'Returns one plan a community can be on, by its id or its sk.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everybody.' }),
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
      summary: 'List the plans of a community',
      description:
        'Returns the plans that a community is on. For its admins, and for client applications that list it with `GET /communities`.',
      access: scopelessReader('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: listOf(SubscriptionPlan, 'The plans it is on, the cheapest first.'),
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
        'Returns the address of premium support, for communities whose plan includes it; the operator writes the address into the plan.',
      access: communityAdmin('id'),
      params: { id: communityParam },
      returns: shape(T.Object({ url: text('Where help is found.') })),
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

/** The plans a community is on. */
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
 * Where a community finds help: the address that the feature of its plan names. Where plans are not sold, every plan that names
 * one will do.
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
        'Installs a mini-app that this server knows in a community, with whatever settings the body holds. Installing it again takes its newest manifest and the new settings.',
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
        'Adds a community of a chat platform. The caller becomes its owner and must manage it on the platform, which is asked: Administrator or Manage Server in Discord, the right to invite and ban users in Telegram; the operator and the operator’s own applications may add any, and name its owner. Channels, quests and drops are kept as they are sent, and `adminUserId` is the user whom members turn to. Status, admins, plans, rules and statistics are not read from the body.',
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
        'Returns the communities that the caller manages, by their ids, page by page. A client application sees those of the user who made it, and those whose admins granted it community:read; the operator and the operator’s own applications see all.',
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
        'Writes anew what is kept about a community: what the body leaves out is emptied, save its name and status. Its platform, owner, admins, plans, rules and statistics are not read from the body.',
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
      summary: 'Change a community',
      description:
        'Changes what the body names of a community, and nothing else. Its platform, owner, admins, plans, rules and statistics are not read from the body.',
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
        'Forgets a community with its rules, members and settings. On its platform nothing changes: everybody keeps the roles they have.',
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
      description: `Settles who manages a community: the list takes the place of the one before. The owner must be in it. At most ${maxAdmins} users. A user who does not manage the community on its platform stays an admin until they leave it, or the admin who named them is no admin any more.`,
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
        'Returns statistics from what was really seen of a community. What is not known is absent. For its members and admins, and for client applications that list it with `GET /communities`.',
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
        'Makes the wallet of a community: a Safe whose owner’s key is made and kept by the signer. The address can receive money at once; the contract is deployed by POST /latchkey/treasuries/{address}/deploy or with the first transfer. Asking again returns the same wallet. Fails with UNAVAILABLE while the signer is down.',
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
      summary: 'Read the wallet of a community',
      description:
        'Returns the Safe of the community with its status and balance as its chain shows them; 404 before it was made. For its admins, and for client applications that list it with `GET /communities`.',
      access: communityReader('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: CommunityWallet,
    },
    getCommunityWallet,
  ),
]);
