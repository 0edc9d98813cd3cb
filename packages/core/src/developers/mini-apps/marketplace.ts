import { op, resource, shape, T } from '@latchkey/kernel';
import { communityAdmin } from '../../communities/access/index.ts';
import { getCommunity } from '../../communities/community-records/index.ts';
import { MiniAppManifest, selectOffers } from '../../communities/installs/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';

const MarketplaceApps = shape(
  T.Object({
    items: T.Array(MiniAppManifest, {
      description:
        'The mini-apps by their ids, each with `installed`, and for those that are: `installedAt`, `installedVersion` and `installationMetadata`.',
      maxItems: 1000,
    }),
  }),
);

/** Lists what a community can install and has installed. */
export async function getMiniAppsForCommunity(
  ctx: Pick<Context, 'tx'>,
  { communityId, installedOnly = false }: { communityId: string; installedOnly?: boolean },
): Promise<{ items: MiniAppManifest[] }> {
  return ctx.tx(async (tx) => {
    const community = await getCommunity(tx, communityId);
    const ids = [community.id, community.community_id];
    const offers = (await selectOffers(tx, community.id)).filter(
      ({ manifest: { supportedCommunities }, installed_at }) =>
        installed_at !== null ||
        (!installedOnly && (supportedCommunities === undefined || ids.some((id) => supportedCommunities.includes(id)))),
    );
    return {
      items: offers.map(({ manifest, withdrawn_at, installed_at, installed_version, metadata }) => ({
        ...manifest,
        installed: installed_at !== null,
        ...(withdrawn_at !== null && { isSuspended: true }),
        ...(installed_at !== null && {
          installedAt: installed_at.getTime(),
          installedVersion: installed_version ?? '',
          installationMetadata: metadata ?? {},
        }),
      })),
    };
  });
}

export const marketplace = resource('marketplace', 'The mini-apps that a community can install.', [
  op(
    'GET /marketplace/communities/{communityId}/apps',
    {
      id: 'getMiniAppsForCommunity',
      sdk: 'MiniAppController.getMiniAppsForCommunity',
      summary: 'List mini-apps for a community',
      description:
        'Returns the mini-apps that the community can install or has installed, with their installation details. A mini-app that the operator revoked is shown as suspended, and only if it is installed.',
      access: communityAdmin('communityId'),
      params: {
        communityId: communityParam,
        installedOnly: T.Optional(T.Boolean({ description: 'Only those that are installed.' })),
      },
      returns: MarketplaceApps,
    },
    getMiniAppsForCommunity,
  ),
]);
