import {
  chatPlatforms,
  choice,
  op,
  type PlatformName,
  platformNames,
  principalId,
  record,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import { findMemberNames } from '../../communities/memberships/index.ts';
import { offeredMethods } from '../../identity/platform-logins/index.ts';
import { selectSharedWallets } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';

const ChatAccount = record('ChatAccount', 'A chat account of yours.', {
  accountId: text('The qualified id, for example DIS#USER#123.'),
  platform: choice('The chat platform.', platformNames),
  name: T.Optional(text('Its name on the platform, if known.')),
  isCurrent: T.Boolean({ description: 'Whether it is the account that you are signed in with.' }),
  sharedWallets: T.Array(text('An address.'), {
    description: 'The wallets that are linked to it as well as to the account that you are signed in with.',
    maxItems: 1000,
  }),
});
type ChatAccount = ValueOf<typeof ChatAccount>;

const ChatAccounts = record('ChatAccounts', 'Your chat accounts.', {
  items: T.Array(ChatAccount, { description: 'The accounts, the current one first.', maxItems: 1001 }),
  offered: T.Array(choice('A chat platform.', platformNames), {
    description: 'The chat platforms that people can sign in with on this server.',
    maxItems: platformNames.length,
  }),
});
type ChatAccounts = ValueOf<typeof ChatAccounts>;

/** Lists the chat account that a user is signed in with, and those that have proven the same wallets. */
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
  return { items: ids.flatMap(describe), offered: offeredMethods(ctx) };

  function describe(accountId: string): ChatAccount[] {
    const platform = platformOf(accountId);
    if (platform === undefined) return [];
    const name = names.get(accountId);
    const sharedWallets = [...new Set(shared.get(accountId)?.map(({ address }) => address))];
    const isCurrent = accountId === userId;
    return [{ accountId, platform, ...(name !== undefined && { name }), isCurrent, sharedWallets }];
  }
}

/** Undefined for wallet accounts, which are on no chat platform. */
function platformOf(accountId: string): PlatformName | undefined {
  return platformNames.find((name) => accountId.startsWith(`${chatPlatforms[name].prefix}#USER#`));
}

export const chatAccountOperations = [
  op(
    'GET /latchkey/account/chat-accounts',
    {
      id: 'listChatAccounts',
      summary: 'List your chat accounts',
      description:
        'Returns the chat account that the user is signed in with, and other chat accounts that have linked one of the same wallets, with the wallets they share. Accounts are linked by a wallet: link it in both, and unlink it in one of them to separate them.',
      access: thePerson,
      returns: ChatAccounts,
    },
    listChatAccounts,
  ),
] as const;
