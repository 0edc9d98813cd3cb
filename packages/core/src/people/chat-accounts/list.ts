import {
  chatPlatforms,
  choice,
  type PlatformName,
  platformNames,
  principalId,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { findMemberNames } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import { offeredWays } from '../platform-logins/index.ts';
import { selectSharedWallets } from '../wallets/index.ts';

const ChatAccount = record('ChatAccount', 'A chat account of yours.', {
  accountId: text('The qualified id, for example DIS#USER#123.'),
  platform: choice('The chat platform.', platformNames),
  name: T.Optional(text('What it is called there, as far as it is known here.')),
  isCurrent: T.Boolean({ description: 'Whether it is the account that you are signed in with.' }),
  sharedWallets: T.Array(text('An address.'), {
    description: 'The wallets that are linked to it as well as to the account that you are signed in with.',
    maxItems: 1000,
  }),
});
type ChatAccount = ValueOf<typeof ChatAccount>;

export const ChatAccounts = record('ChatAccounts', 'Your chat accounts.', {
  items: T.Array(ChatAccount, { description: 'The accounts, the current one first.', maxItems: 1001 }),
  offered: T.Array(choice('A chat platform.', platformNames), {
    description: 'The chat platforms that people can sign in with on this server.',
    maxItems: platformNames.length,
  }),
});
export type ChatAccounts = ValueOf<typeof ChatAccounts>;

/** The chat account that somebody is signed in with, and those that have proven the same wallets. */
export async function listChatAccounts(
  ctx: Pick<Context, 'actor' | 'db' | 'identityProviders'>,
  _input: Record<never, never>,
): Promise<ChatAccounts> {
  const { actor, db } = ctx;
  const userId = principalId(actor);
  const shared = Map.groupBy(await selectSharedWallets(db.system, userId), (row) => row.user_id);
  const ids = [userId, ...shared.keys()];
  const names = await findMemberNames(db.system, ids);
  if (actor.kind === 'user' && actor.name !== undefined) names.set(userId, actor.name);
  return { items: ids.flatMap(describe), offered: offeredWays(ctx) };

  function describe(accountId: string): ChatAccount[] {
    const platform = platformOf(accountId);
    if (platform === undefined) return [];
    const name = names.get(accountId);
    const sharedWallets = [...new Set(shared.get(accountId)?.map(({ address }) => address))];
    const isCurrent = accountId === userId;
    return [{ accountId, platform, ...(name !== undefined && { name }), isCurrent, sharedWallets }];
  }
}

/** Undefined for accounts that are a wallet and no more. */
function platformOf(accountId: string): PlatformName | undefined {
  return platformNames.find((name) => accountId.startsWith(`${chatPlatforms[name].prefix}#USER#`));
}
