import { op, thePerson } from '@latchkey/kernel';
import { ChatAccounts, listChatAccounts } from './list.ts';

export const chatAccountOperations = [
  op(
    'GET /latchkey/account/chat-accounts',
    {
      id: 'listChatAccounts',
      summary: 'List your chat accounts',
      description:
        'Returns the chat account that the person is signed in with, and other chat accounts that have linked one of the same wallets, with the wallets they share. Accounts are linked by a wallet: link it in both, and unlink it in one of them to separate them.',
      access: thePerson,
      returns: ChatAccounts,
    },
    listChatAccounts,
  ),
] as const;
