import { fieldsOf, nameOf } from '@latchkey/adapter-kit';
import { PlatformFailed, type RedditApi, type RedditConsent, type RedditMessage } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { createGrantFlow } from '../oauth/create-grant-flow.ts';
import { createRedditClient, type OpenCaller, type RedditOptions } from './client.ts';
import { administersSubreddit } from './moderators.ts';
import { redditOAuth } from './oauth.ts';
import { notUnderstood, readList } from './read-members.ts';

/** Creates the Reddit calls that features need besides roles. */
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

/** The minimum for a subreddit: flairs and approved users, notices in modmail, and commands in private messages. */
const scopes = [
  'identity',
  'mysubreddits',
  'read',
  'flair',
  'modflair',
  'modcontributors',
  'modmail',
  'privatemessages',
] as const;

/** Manages a moderator's permission to act for them until they revoke it. */
function createRedditConsent(options: RedditOptions): RedditConsent {
  const flow = createGrantFlow({
    ...redditOAuth(options),
    scope: scopes.join(' '),
    parameters: { duration: 'permanent' },
  });
  const revoke: RedditConsent['revoke'] = (refreshToken, signal) =>
    flow.revoke(`${options.authUrl}/api/v1/revoke_token`, refreshToken, signal);
  return {
    start: flow.start,
    finish: async (answer, signal) => {
      const { refreshToken, scopes: given } = await flow.exchange(answer, signal);
      if (refreshToken === undefined) throw new PlatformFailed('forbidden', 'Reddit did not grant permanent access.');
      if (scopes.every((scope) => given.includes(scope))) return refreshToken;
      await revoke(refreshToken, signal);
      throw new PlatformFailed('forbidden', 'Reddit did not grant all requested permissions.');
    },
    revoke,
  };
}

type Messages = Pick<RedditApi, 'startModmail' | 'continueModmail' | 'readUnread' | 'reply' | 'markRead'>;

const unreadAtOnce = 25;

/** Sends and reads modmail (scope `modmail`) and private messages (scope `privatemessages`) of a linked account. */
function createMessages(open: OpenCaller): Messages {
  return {
    startModmail: async (refreshToken, { subreddit, subject, text }, signal) => {
      // Without `to` it is a discussion among the moderators.
      const fields = { srName: subreddit, subject, body: text, isAuthorHidden: 'false' };
      const answer = await open(refreshToken).post('/api/mod/conversations', fields, signal);
      const id = isObject(answer) && isObject(answer.conversation) ? answer.conversation.id : undefined;
      if (typeof id !== 'string') throw new PlatformFailed('unavailable', 'Reddit rejected the modmail.', 60);
      return id;
    },
    continueModmail: async (refreshToken, { conversationId, text }, signal) => {
      const path = `/api/mod/conversations/${encodeURIComponent(conversationId)}`;
      await open(refreshToken).post(path, { body: text, isInternal: 'false', isAuthorHidden: 'false' }, signal);
    },
    readUnread: async (refreshToken, signal) => {
      const answer = await open(refreshToken).get(`/message/unread?limit=${unreadAtOnce}&mark=false`, signal);
      const children = isObject(answer) && isObject(answer.data) ? answer.data.children : undefined;
      return readList(children, { source: 'reddit', kind: 'message' }, toMessage).entries.flat().toReversed();
    },
    reply: async (refreshToken, { messageId, text }, signal) => {
      await open(refreshToken).post('/api/comment', { thing_id: messageId, text }, signal);
    },
    markRead: async (refreshToken, messageIds, signal) => {
      await open(refreshToken).post('/api/read_message', { id: messageIds.join(',') }, signal);
    },
  };
}

/** Replies to comments and posts are in the same inbox, with another kind. */
function toMessage(child: unknown): RedditMessage[] {
  const { kind, data } = fieldsOf(child, 'a message');
  if (nameOf(kind, 'the kind of a message') !== 't4') return [];
  const { name, author, subject, body } = fieldsOf(data, 'a message');
  return [
    {
      id: nameOf(name, 'the id of a message'),
      ...(typeof author === 'string' && { author }),
      subject: typeof subject === 'string' ? subject : '',
      text: typeof body === 'string' ? body : '',
    },
  ];
}
