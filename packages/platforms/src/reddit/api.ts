import { isObject } from '@latchkey/adapter-kit';
import { PlatformFailed, type RedditApi } from '@latchkey/core/ports';
import { createRedditClient, type RedditOptions } from './client.ts';
import { createRedditConsent } from './consent.ts';
import { createMessages } from './messages.ts';
import { administersSubreddit } from './moderators.ts';

/** What features ask of Reddit beyond roles. */
export function createRedditApi(options: RedditOptions): RedditApi {
  const open = createRedditClient(options);
  return {
    clientId: options.clientId,
    consent: createRedditConsent(options),
    ...createMessages(open),
    administers: (refreshToken, question, signal) => administersSubreddit(open(refreshToken), question, signal),
    identify: async (refreshToken, signal) => {
      const caller = open(refreshToken);
      try {
        const me = await caller.get('/api/v1/me', signal);
        if (!isObject(me) || typeof me.name !== 'string') return undefined;
        const answer = await caller.get('/subreddits/mine/moderator?limit=100', signal);
        const children = isObject(answer) && isObject(answer.data) ? answer.data.children : undefined;
        const subreddits = (Array.isArray(children) ? children : []).flatMap((child: unknown) =>
          isObject(child) && isObject(child.data) ? [child.data] : [],
        );
        return {
          userName: me.name,
          moderates: subreddits.map(({ name, display_name, icon_img }) => ({
            id: String(name),
            name: String(display_name),
            ...(typeof icon_img === 'string' && icon_img !== '' && { iconUrl: icon_img }),
          })),
        };
      } catch (error) {
        if (error instanceof PlatformFailed && error.kind === 'forbidden') return undefined;
        throw error;
      }
    },
  };
}
