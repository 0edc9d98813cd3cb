import { chatPlatforms, notFound, type Page, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';
import { selectCommunityNames } from '../../communities/community-records/index.ts';
import { findMemberNames, searchMemberIds, selectCommunitiesOf } from '../../communities/memberships/index.ts';
import { searchWalletOwners, walletsOfUsers } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';

export const PersonEntry = record('PersonEntry', 'A person who is in a community or linked a wallet.', {
  userId: text('The qualified id, for example DIS#USER#123.'),
  name: T.Optional(text('Their last known name in a community.')),
  platform: T.Optional(text('The chat platform of the account.')),
  wallets: T.Number({ description: 'How many wallets they linked.', minimum: 0 }),
});
export type PersonEntry = ValueOf<typeof PersonEntry>;

export const PersonDetails = record('PersonDetails', 'What the operator sees of a person.', {
  userId: text('The qualified id, for example DIS#USER#123.'),
  name: T.Optional(text('Their last known name in a community.')),
  platform: T.Optional(text('The chat platform of the account.')),
  wallets: T.Array(
    record('PersonWallet', 'A linked wallet.', {
      namespace: text('The family of chains, for example evm.'),
      address: text('The address.'),
    }),
    { description: 'The linked wallets, oldest first.', maxItems: 10_000 },
  ),
  communities: T.Array(
    record('PersonCommunity', 'A community the person is in.', {
      id: text('The qualified id.'),
      name: text('Its name.'),
    }),
    { description: 'The communities they are in.', maxItems: 10_000 },
  ),
});
export type PersonDetails = ValueOf<typeof PersonDetails>;

type Search = { ids?: string[]; address?: string; namePattern?: string };

/** Lists users in the order of their ids. */
export async function listPeople(
  ctx: Context,
  { search, ...request }: PageRequest & { search?: string },
): Promise<Page<PersonEntry>> {
  const wanted = search === undefined ? {} : readSearch(search.trim());
  const page = await paginate(ctx, request, {
    list: `people:${search ?? ''}`,
    read: ([after = ''] = [], limit) => findIds(ctx, wanted, after, limit),
    cursorOf: (userId) => [userId],
  });
  const { system } = ctx.db;
  const [names, wallets] = await Promise.all([findMemberNames(system, page.items), walletsOfUsers(system, page.items)]);
  const items = page.items.map((userId) => ({
    ...named(userId, names.get(userId)),
    wallets: wallets.get(userId)?.length ?? 0,
  }));
  return { ...page, items };
}

async function findIds(ctx: Context, wanted: Search, after: string, limit: number): Promise<string[]> {
  const { system } = ctx.db;
  const [members, owners] = await Promise.all([
    wanted.address === undefined ? searchMemberIds(system, wanted, after, limit) : [],
    searchWalletOwners(system, wanted, after, limit),
  ]);
  return [...new Set([...members, ...owners])].toSorted(byCodePoint).slice(0, limit);
}

/** Parses a qualified id, a platform's own id, an address, or a prefix of a name. */
function readSearch(text: string): Search {
  if (/^[A-Z]{3,8}#USER#/.test(text)) return { ids: [text] };
  if (/^\d{5,20}$/.test(text))
    return { ids: platformNames.map((name) => `${chatPlatforms[name].prefix}#USER#${text}`) };
  if (/^0x[0-9a-f]{40}$/i.test(text) || /^[1-9A-HJ-NP-Za-km-z]{32,64}$/.test(text)) return { address: text };
  return { namePattern: `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%` };
}

export async function getPerson(ctx: Context, { userId }: { userId: string }): Promise<PersonDetails> {
  const { system } = ctx.db;
  const [names, wallets, memberships] = await Promise.all([
    findMemberNames(system, [userId]),
    walletsOfUsers(system, [userId]),
    selectCommunitiesOf(system, [userId]),
  ]);
  const linked = wallets.get(userId) ?? [];
  if (linked.length === 0 && memberships.length === 0 && !names.has(userId)) throw notFound('person');
  const ids = memberships.map((row) => row.community_id);
  const communityNames = await selectCommunityNames(system, ids);
  return {
    ...named(userId, names.get(userId)),
    wallets: linked.map(({ namespace, address }) => ({ namespace, address })),
    communities: ids
      .map((id) => ({ id, name: communityNames.get(id) ?? id }))
      .toSorted((a, b) => byCodePoint(a.id, b.id)),
  };
}

function named(userId: string, name: string | undefined) {
  const platform = platformNames.find((one) => userId.startsWith(`${chatPlatforms[one].prefix}#`));
  return { userId, ...(name !== undefined && { name }), ...(platform !== undefined && { platform }) };
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
