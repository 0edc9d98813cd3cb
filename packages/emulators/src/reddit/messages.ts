import type { RedditAnswer, RedditCall, Route } from './route.ts';
import type { Conversation, PrivateMessage } from './subreddits.ts';

type Define = (path: string, scope: string, answer: Route['answer']) => void;

/** Modmail and private messages, as far as bots use them. */
export function defineMessages(get: Define, post: Define): void {
  post('/api/mod/conversations', 'modmail', (call) => {
    const { world, fields, userName = '' } = call;
    const subreddit = world.subreddit(fields.srName);
    if (subreddit === undefined) return { status: 404 };
    if (!subreddit.moderators.has(userName.toLowerCase())) return { status: 403 };
    const { subject = '', body = '' } = fields;
    if (subject === '' || subject.length > 100 || body === '') return { status: 422 };
    const id = (world.conversations.size + 46656).toString(36);
    world.conversations.set(id, { id, subreddit: subreddit.name, subject, messages: [{ author: userName, body }] });
    return shown(world.conversations.get(id));
  });
  post('/api/mod/conversations/:conversation', 'modmail', ({ world, params, fields, userName = '' }) => {
    const conversation = world.conversations.get(params.conversation ?? '');
    if (conversation === undefined) return { status: 404 };
    if (!world.subreddit(conversation.subreddit)?.moderators.has(userName.toLowerCase())) return { status: 403 };
    conversation.messages.push({ author: userName, body: fields.body ?? '' });
    return shown(conversation);
  });
  get('/message/unread', 'privatemessages', (call) => ({
    body: {
      kind: 'Listing',
      data: { after: null, before: null, children: unreadOf(call).map((data) => ({ kind: 't4', data: view(data) })) },
    },
  }));
  post('/api/read_message', 'privatemessages', (call) => {
    const ids = (call.fields.id ?? '').split(',');
    for (const message of unreadOf(call)) if (ids.includes(message.id)) message.isRead = true;
    return { body: {} };
  });
  post('/api/comment', 'privatemessages', ({ world, fields, userName = '' }) => {
    const parent = world.messages.find(({ id }) => id === fields.thing_id);
    if (parent === undefined || !isSame(parent.to, userName)) return { status: 403 };
    world.sendMessage(userName, parent.author, `re: ${parent.subject}`, fields.text ?? '');
    return { body: { json: { errors: [], data: { things: [] } } } };
  });
}

function unreadOf({ world, userName = '' }: RedditCall): PrivateMessage[] {
  return world.messages.filter(({ to, isRead }) => isSame(to, userName) && !isRead).toReversed();
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function view({ id, author, to, subject, body, isRead }: PrivateMessage) {
  return { id: id.slice(3), name: id, author, dest: to, subject, body, new: !isRead, was_comment: false };
}

function shown(conversation: Conversation | undefined): RedditAnswer {
  if (conversation === undefined) return { status: 404 };
  const { id, subject, messages } = conversation;
  return {
    body: {
      conversation: { id, subject, isInternal: true, numMessages: messages.length },
      messages: {},
      modActions: {},
    },
  };
}
