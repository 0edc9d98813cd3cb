import { deleteJobsNaming } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { telegramJobs } from './jobs.ts';

/** Deletes a person's pending bot commands. Telegram jobs identify people by Telegram's own id. */
export const telegramErasure: Erasure = {
  columns: [],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    const native = nativeUserId('telegram', userId);
    const kinds = telegramJobs.map((kind) => kind.name);
    if (native !== undefined) await deleteJobsNaming(tx, [native], { kinds });
  },
};
