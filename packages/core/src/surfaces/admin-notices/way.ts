import type { CommunityRow } from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import type { NoticeText } from './compose.ts';
import type { NoticeMessageRow } from './queries.ts';

/** What is to be told, and where it was told already. */
export interface Telling {
  community: CommunityRow;
  noticeId: string;
  text: NoticeText;
  /** 1 for the first try. */
  attempt: number;
  signal: AbortSignal;
  /** Who was told already, by which message; null for those who do not take any. */
  told: ReadonlyMap<string, string | null>;
  /** Keeps that a recipient was told, so that a further try leaves it out. `null` when it did not take the message. */
  keep(recipient: string, messageId: string | null): Promise<void>;
}

/** A way to reach the admins of a community. Throws when another try may succeed. */
export interface NoticeChannel {
  tell(ctx: Context, telling: Telling): Promise<void>;
  /** Says in a message that was sent that the matter is over. */
  close?: Edit;
  /** Brings a message that was sent up to date; absent where that would be another message. */
  update?: Edit;
}

export type Edit = (
  ctx: Context,
  community: CommunityRow,
  message: Pick<NoticeMessageRow, 'recipient'> & { messageId: string },
  text: NoticeText,
  signal: AbortSignal,
) => Promise<void>;
