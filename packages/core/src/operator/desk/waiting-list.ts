import { AppError, notSetUp, type Page, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import {
  countMembers,
  inviteToWaitingList,
  selectGuests,
  waitingListSigner,
} from '../../partners/waiting-list/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';

export const WaitingListState = record(
  'WaitingListState',
  'The waiting list, and the signer its contracts must trust.',
  {
    isOpen: T.Boolean({ description: 'Whether places are offered: a contract is configured.' }),
    priceWei: T.Optional(text('What a place costs, in wei.')),
    signer: T.Optional(text('The address that the contracts must trust.')),
    contracts: texts('The contracts, as chain and address.'),
    members: T.Number({ description: 'How many users are on the list.', minimum: 0 }),
  },
);
export type WaitingListState = ValueOf<typeof WaitingListState>;

export const WaitingListGuest = record('WaitingListGuest', 'A user who is invited without paying.', {
  userId: text('The user id.'),
  invitedTime: text('Since when, in ISO 8601.'),
});
export type WaitingListGuest = ValueOf<typeof WaitingListGuest>;

function contractsOf({ settings }: Pick<Context, 'settings'>) {
  return settings.partners?.waitingList?.contracts ?? [];
}

export async function getWaitingList(ctx: Context): Promise<WaitingListState> {
  const contracts = contractsOf(ctx);
  const isOpen = contracts.length > 0;
  return {
    isOpen,
    ...(isOpen && {
      priceWei: String(ctx.settings.partners?.waitingList?.priceWei ?? 0n),
      signer: await waitingListSigner(ctx, { isReplaced: false }),
    }),
    contracts: contracts.map(({ chainId, address }) => `${chainId}: ${address}`),
    members: await countMembers(ctx.db.system),
  };
}

export async function listGuests(ctx: Context, request: PageRequest): Promise<Page<WaitingListGuest>> {
  const page = await paginate(ctx, request, {
    list: 'waiting-list-guests',
    read: ([after = ''] = [], limit) => selectGuests(ctx.db.system, after, limit),
    cursorOf: ({ user_id }) => [user_id],
  });
  return {
    ...page,
    items: page.items.map((row) => ({ userId: row.user_id, invitedTime: row.added_at.toISOString() })),
  };
}

export function inviteGuest(ctx: Context, { userId }: { userId: string }): Promise<void> {
  if (!/^[A-Z]{3,8}#USER#.+$/.test(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Identify the person by an id such as DIS#USER#100.');
  return inviteToWaitingList(ctx, { userId, isInvited: true });
}

export function removeGuest(ctx: Context, { userId }: { userId: string }): Promise<void> {
  return inviteToWaitingList(ctx, { userId, isInvited: false });
}

export async function replaceSigner(ctx: Context): Promise<WaitingListState> {
  if (contractsOf(ctx).length === 0)
    throw notSetUp('This server has no waiting list. Set LATCHKEY_WAITING_LIST_CONTRACTS to open one.');
  await waitingListSigner(ctx, { isReplaced: true });
  return getWaitingList(ctx);
}
