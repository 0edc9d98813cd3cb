import type { CommunityRow } from '../../communities/community-records/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { NoticeText } from './compose.ts';
import type { NoticeMessageRow, NoticeRow } from './queries.ts';

/** One notice, and where it was already sent. */
export interface NoticeDelivery {
  community: CommunityRow;
  noticeId: string;
  kind: NoticeRow['kind'];
  text: NoticeText;
  /** 1 for the first try. */
  attempt: number;
  signal: AbortSignal;
  /** Recipients that were already notified, with the message; null for those who accept none. */
  notified: ReadonlyMap<string, string | null>;
  /** Records that a recipient was notified, so that a retry skips it. `null` if it did not accept the message. */
  keep(recipient: string, messageId: string | null): Promise<void>;
}

/** A way to reach the admins of a community. Throws if a retry may succeed. */
export interface NoticeChannel {
  send(ctx: Context, delivery: NoticeDelivery): Promise<void>;
  /** Updates a sent message once the matter is resolved. */
  close?: Edit;
  /** Updates a sent message; absent if that would send another message. */
  update?: Edit;
}

export type Edit = (
  ctx: Context,
  community: CommunityRow,
  message: Pick<NoticeMessageRow, 'recipient'> & { messageId: string },
  text: NoticeText,
  signal: AbortSignal,
) => Promise<void>;

/** Calls that the platform refuses are not retried; calls that fail temporarily are. */
export async function unlessRefused<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    return undefined;
  }
}
