import { deleteJobsNaming } from '@latchkey/db';
import { platformNames } from '@latchkey/kernel';
import type { Erasure } from '../../shared/module.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { chatBotJobs } from './jobs.ts';

/** Deletes a person's pending bot commands and join requests, which identify people by the platform's own id. */
export const chatBotErasure: Erasure = {
  columns: [],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    const native = platformNames.flatMap((name) => nativeUserId(name, userId) ?? []);
    await deleteJobsNaming(tx, native, { kinds: chatBotJobs.map((kind) => kind.name) });
  },
};
