import { Router } from '../http/router.ts';
import { defineMessages } from './messages.ts';
import type { RedditAnswer, RedditCall, Route } from './route.ts';
import type { Subreddit } from './subreddits.ts';

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
