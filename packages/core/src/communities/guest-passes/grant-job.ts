import type { Enqueueable } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';

/** Brings the roles of one grant into line. The work itself is done where roles are written. */
export const applyGrant: Enqueueable<{ grantId: string }> = {
  name: 'guest-passes.apply',
  payload: shape(T.Object({ grantId: T.String({ maxLength: 64 }) })),
};
