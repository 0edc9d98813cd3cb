import { Router } from '../http/router.ts';
import type { Conversation, PrivateMessage, RedditWorld, Subreddit } from './subreddits.ts';

export interface RedditCall {
  world: RedditWorld;
  userName: string | undefined;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  fields: Readonly<Record<string, string>>;
}

/** The result of a route: a body, or a status for Reddit's error format. */
export type RedditAnswer = { body: unknown } | { status: number };

export interface Route {
  scope: string;
  /** Whether a write may be lost on command. */
  isWrite: boolean;
  answer(call: RedditCall): RedditAnswer;
}

const forbidden = { status: 403 };
const missing = { status: 404 };

export function createRoutes(): Router<Route> {
  const router = new Router<Route>();
  const get = (path: string, scope: string, answer: Route['answer']) =>
    router.add('GET', path, { scope, isWrite: false, answer });
  const post = (path: string, scope: string, answer: Route['answer']) =>
    router.add('POST', path, { scope, isWrite: true, answer });

  get('/api/v1/me', 'identity', ({ world, userName }) => {
    const user = world.user(userName);
    return user === undefined ? forbidden : { body: { id: user.id.slice(3), name: user.name } };
  });
  get('/subreddits/mine/moderator', 'mysubreddits', ({ world, userName, query }) => {
    const mine = [...world.subreddits.values()].filter(({ moderators }) =>
      moderators.has((userName ?? '').toLowerCase()),
    );
    return {
      body: listing(
        mine.map((subreddit) => ({ kind: 't5', data: aboutOf(subreddit) })),
        query,
      ),
    };
  });
  get('/r/:subreddit/about', 'read', ({ world, params }) => {
    const subreddit = world.subreddit(params.subreddit);
    return subreddit === undefined ? missing : { body: { kind: 't5', data: aboutOf(subreddit) } };
  });
  get('/r/:subreddit/about/moderators', 'read', ({ world, params }) => {
    const subreddit = world.subreddit(params.subreddit);
    if (subreddit === undefined) return missing;
    const children = [...subreddit.moderators].map((name) => ({
      id: world.user(name)?.id,
      name: world.user(name)?.name ?? name,
      mod_permissions: subreddit.moderatorPermissions.get(name) ?? ['all'],
    }));
    return { body: { kind: 'UserList', data: { children } } };
  });
  get(
    '/r/:subreddit/api/user_flair_v2',
    'flair',
    moderated((subreddit) => ({
      body: subreddit.flairs.map(({ id, text, css_class }) => ({ id, text, css_class, type: 'text', mod_only: true })),
    })),
  );
  get(
    '/r/:subreddit/api/flairlist',
    'modflair',
    moderated((subreddit, call) => flairList(subreddit, call)),
  );
  get(
    '/r/:subreddit/about/contributors',
    'read',
    moderated((subreddit, { world, query }) => {
      const wanted = query.get('user')?.toLowerCase();
      const names = [...subreddit.approved].filter((name) => wanted === undefined || name === wanted);
      const children = names.map((name) => ({ name: world.user(name)?.name ?? name, id: world.user(name)?.id }));
      return { body: { kind: 'UserList', data: page(children, query) } };
    }),
  );
  post(
    '/r/:subreddit/api/selectflair',
    'modflair',
    moderated((subreddit, { world, fields }) => {
      const user = world.user(fields.name);
      const template = subreddit.flairs.find(({ id }) => id === fields.flair_template_id);
      if (user === undefined || template === undefined) return { status: 400 };
      subreddit.flairOf.set(user.name.toLowerCase(), template.id);
      return { body: { success: true } };
    }),
  );
  post(
    '/r/:subreddit/api/deleteflair',
    'modflair',
    moderated((subreddit, { fields }) => {
      subreddit.flairOf.delete((fields.name ?? '').toLowerCase());
      return { body: { json: { errors: [] } } };
    }),
  );
  post(
    '/r/:subreddit/api/friend',
    'modcontributors',
    moderated((subreddit, { world, fields }) => {
      const user = world.user(fields.name);
      if (fields.type !== 'contributor') return { status: 400 };
      if (user === undefined)
        return { body: { json: { errors: [['USER_DOESNT_EXIST', "that user doesn't exist", 'name']] } } };
      subreddit.approved.add(user.name.toLowerCase());
      return { body: { json: { errors: [] } } };
    }),
  );
  post(
    '/r/:subreddit/api/unfriend',
    'modcontributors',
    moderated((subreddit, { fields }) => {
      if (fields.type !== 'contributor') return { status: 400 };
      subreddit.approved.delete((fields.name ?? '').toLowerCase());
      return { body: {} };
    }),
  );
  defineMessages(get, post);
  return router;
}

function moderated(answer: (subreddit: Subreddit, call: RedditCall) => RedditAnswer): Route['answer'] {
  return (call) => {
    const subreddit = call.world.subreddit(call.params.subreddit);
    if (subreddit === undefined) return missing;
    if (!subreddit.moderators.has((call.userName ?? '').toLowerCase())) return forbidden;
    return answer(subreddit, call);
  };
}

function aboutOf(subreddit: Subreddit): Record<string, unknown> {
  return {
    id: subreddit.id.slice(3),
    name: subreddit.id,
    display_name: subreddit.name,
    title: subreddit.name,
    subscribers: subreddit.approved.size,
    icon_img: '',
    community_icon: (subreddit.icon?.url ?? '').replaceAll('&', '&amp;'),
  };
}

function flairList(subreddit: Subreddit, { world, query }: RedditCall): RedditAnswer {
  const shown = (name: string) => {
    const template = subreddit.flairs.find(({ id }) => id === subreddit.flairOf.get(name));
    return {
      user: world.user(name)?.name ?? name,
      flair_text: template?.text ?? null,
      flair_css_class: template?.css_class ?? null,
    };
  };
  const wanted = query.get('name');
  if (wanted !== null) return { body: { users: [shown(wanted.toLowerCase())] } };
  const names = [...subreddit.flairOf.keys()].sort();
  const from = names.findIndex((name) => name > (query.get('after') ?? ''));
  const limit = Math.min(Number(query.get('limit') ?? 25), 1000);
  const part = from < 0 ? [] : names.slice(from, from + limit);
  const last = part.at(-1);
  const hasMore = from >= 0 && from + part.length < names.length;
  return { body: { users: part.map(shown), ...(hasMore && last !== undefined && { next: last }) } };
}

function listing(children: readonly unknown[], query: URLSearchParams): unknown {
  return { kind: 'Listing', data: page(children, query) };
}

function page(children: readonly unknown[], query: URLSearchParams): unknown {
  const from = Number(/^rb_(\d+)$/.exec(query.get('after') ?? '')?.[1] ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? 25), 100);
  const part = children.slice(from, from + limit);
  return { children: part, after: from + limit < children.length ? `rb_${from + limit}` : null, before: null };
}

type Define = (path: string, scope: string, answer: Route['answer']) => void;

/** Modmail and private messages, as far as bots use them. */
function defineMessages(get: Define, post: Define): void {
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
