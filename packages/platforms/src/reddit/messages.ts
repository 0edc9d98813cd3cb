import { fieldsOf, isObject, nameOf } from '@latchkey/adapter-kit';
import { PlatformFailed, type RedditApi, type RedditMessage } from '@latchkey/core/ports';
import type { OpenCaller } from './client.ts';
import { readList } from './read-members.ts';

type Messages = Pick<RedditApi, 'startModmail' | 'continueModmail' | 'readUnread' | 'reply' | 'markRead'>;

const unreadAtOnce = 25;

/** Modmail (scope `modmail`) and private messages (scope `privatemessages`) of a linked account. */
export function createMessages(open: OpenCaller): Messages {
  return {
    startModmail: async (refreshToken, { subreddit, subject, text }, signal) => {
      // Without `to` it is a discussion among the moderators.
      const fields = { srName: subreddit, subject, body: text, isAuthorHidden: 'false' };
      const answer = await open(refreshToken).post('/api/mod/conversations', fields, signal);
      const id = isObject(answer) && isObject(answer.conversation) ? answer.conversation.id : undefined;
      if (typeof id !== 'string') throw new PlatformFailed('unavailable', 'Reddit did not take the modmail.', 60);
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

/** Replies to comments and posts lie in the same box and are of another kind. */
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
