import type { Enqueueable } from '@latchkey/db';
import { choice, shape, T, text } from '@latchkey/kernel';

/** A community installed or removed a mini-app; written down in the same transaction, and followed by those it concerns. */
export interface AppNews {
  event: 'install' | 'uninstall';
  communityId: string;
  appId: string;
  /** Who did it, as the chat platform calls them. */
  userId: string;
  /** In milliseconds since 1970. */
  at: number;
}

export const appNews: Enqueueable<AppNews> = {
  name: 'miniapps.news',
  payload: shape(
    T.Object({
      event: choice('What was done.', ['install', 'uninstall'] as const),
      communityId: text('The qualified id of the community.', { maxLength: 128 }),
      appId: text('The mini-app.', { maxLength: 100 }),
      userId: text('Who did it.', { maxLength: 128 }),
      at: T.Number({ description: 'When.' }),
    }),
  ),
};
