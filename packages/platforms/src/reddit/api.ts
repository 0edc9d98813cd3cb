import { fieldsOf, isObject, nameOf } from '@latchkey/adapter-kit';
import { PlatformFailed, type RedditApi } from '@latchkey/core/ports';
import { createRedditClient, type RedditOptions } from './client.ts';
import { createRedditConsent } from './consent.ts';
import { createMessages } from './messages.ts';
import { administersSubreddit } from './moderators.ts';
import { notUnderstood, readList } from './read-members.ts';

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
        if (!isObject(me) || typeof me.name !== 'string' || me.name === '') throw notUnderstood();
        const answer = await caller.get('/subreddits/mine/moderator?limit=100', signal);
        const children = isObject(answer) && isObject(answer.data) ? answer.data.children : undefined;
        const { entries } = readList(children, { source: 'reddit', kind: 'subreddit' }, parseSubreddit);
        return { userName: me.name, moderates: entries };
      } catch (error) {
        if (error instanceof PlatformFailed && error.kind === 'forbidden') return undefined;
        throw error;
      }
    },
  };
}

function parseSubreddit(value: unknown): { id: string; name: string; iconUrl?: string } {
  const { name, display_name: title, icon_img: icon } = fieldsOf(fieldsOf(value, 'a subreddit').data, 'a subreddit');
  return {
    id: nameOf(name, 'the id of a subreddit'),
    name: nameOf(title, 'the name of a subreddit'),
    ...(typeof icon === 'string' && icon !== '' && { iconUrl: icon }),
  };
}
