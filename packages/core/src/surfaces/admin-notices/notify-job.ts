import type { Enqueueable } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';

/** Sends one notice, or marks it as closed. */
export const notifyNotice: Enqueueable<{ noticeId: string }> = {
  name: 'admin-notices.tell',
  payload: shape(T.Object({ noticeId: T.String({ maxLength: 64 }) })),
};
