import type { Enqueueable } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';

/** Tells of one notice, or that it is over. */
export const notifyNotice: Enqueueable<{ noticeId: string }> = {
  name: 'admin-notices.tell',
  payload: shape(T.Object({ noticeId: T.String({ maxLength: 64 }) })),
};
