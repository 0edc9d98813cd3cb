import type { Answer } from '../../shared/api/index.ts';

export type ChatAccount = Answer<'GET /latchkey/account/chat-accounts'>['items'][number];

/** What people know an account by. */
export function nameOf({ name, accountId }: ChatAccount): string {
  return name ?? accountId.split('#').at(-1) ?? accountId;
}
