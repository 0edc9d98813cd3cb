import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { listenLocally } from '@latchkey/test-kit';

export interface HostComment {
  id: number;
  author: string;
  body: string;
}

/**
 * The comment endpoints of a code host, with its paths, headers, bodies, pages and limits as its reference documents them. Requests
 * of another shape are refused like there.
 */
export interface HostEmulator extends AsyncDisposable {
  /** The base of its API. */
  url: string;
  token: string;
  /** Comments by the number of their pull request. */
  comments: Map<number, HostComment[]>;
  /** Method and path of everything that was asked. */
  requests: string[];
  /** Pull requests as they were merged. */
  merged: { number: number; sha: string }[];
  /** Answers the next read with this status. */
  failNext(status: number): void;
}

type Answer = { status: number; json: unknown; headers?: Record<string, string> };
type Route = [method: string, path: RegExp, answer: (found: string[], body: unknown, url: URL) => Answer];

interface Shape {
  /** What is wrong with a request, as the host says it. */
  refuse(request: IncomingMessage, token: string): Answer | undefined;
  mostLetters: number;
  tooLong: Answer;
  routes(state: State): Route[];
}

interface State {
  comments: Map<number, HostComment[]>;
  merged: HostEmulator['merged'];
  add(number: number, body: string): HostComment;
}

/** https://docs.github.com/rest/issues/comments and /rest/commits/commits#list-pull-requests-associated-with-a-commit */
export function startGitHub(repository: string): Promise<HostEmulator> {
  const show = ({ id, author, body }: HostComment) => ({
    id,
    body,
    user: { login: author, type: author.endsWith('[bot]') ? 'Bot' : 'User' },
    created_at: '2026-01-01T00:00:00Z',
  });
  return startHost({
    refuse: ({ headers }, token) => {
      if (headers['user-agent'] === undefined) return { status: 403, json: { message: 'Request forbidden' } };
      if (headers.authorization !== `Bearer ${token}`) return { status: 401, json: { message: 'Bad credentials' } };
      const isGitHub =
        headers.accept === 'application/vnd.github+json' && headers['x-github-api-version'] === '2022-11-28';
      return isGitHub ? undefined : { status: 400, json: { message: 'Unsupported version or media type' } };
    },
    mostLetters: 65_536,
    tooLong: {
      status: 422,
      json: { message: 'Validation Failed', errors: ['body is too long (maximum is 65536 characters)'] },
    },
    routes: ({ comments, merged, add }) => {
      const repo = `/repos/${repository}`;
      return [
        [
          'GET',
          new RegExp(`^${repo}/issues/(\\d+)/comments$`),
          ([number], _body, url) => page(url, (comments.get(Number(number)) ?? []).map(show)),
        ],
        [
          'POST',
          new RegExp(`^${repo}/issues/(\\d+)/comments$`),
          ([number], body) => ({ status: 201, json: show(add(Number(number), textOf(body))) }),
        ],
        [
          'PATCH',
          new RegExp(`^${repo}/issues/comments/(\\d+)$`),
          ([id], body) => change(comments, Number(id), body, show),
        ],
        [
          'GET',
          new RegExp(`^${repo}/commits/([0-9a-f]{40})/pulls$`),
          ([sha], _body, url) =>
            page(
              url,
              merged
                .filter((one) => one.sha === sha)
                .map(({ number }) => ({ number, merged_at: '2026-01-01T00:00:00Z', merge_commit_sha: sha })),
            ),
        ],
      ];
    },
  });
}

/** https://docs.gitlab.com/api/notes/#merge-requests and /api/commits/#list-merge-requests-associated-with-a-commit */
export function startGitLab(projectId: number): Promise<HostEmulator> {
  const show = ({ id, author, body }: HostComment) => ({
    id,
    body,
    author: { id: author === self ? 7 : 8, username: author },
    system: false,
  });
  return startHost({
    refuse: ({ headers }, token) =>
      headers['private-token'] === token ? undefined : { status: 401, json: { message: '401 Unauthorized' } },
    mostLetters: 1_000_000,
    tooLong: { status: 400, json: { message: { note: ['is too long (maximum is 1000000 characters)'] } } },
    routes: ({ comments, merged, add }) => {
      const project = `/api/v4/projects/${projectId}`;
      return [
        ['GET', /^\/api\/v4\/user$/, () => ({ status: 200, json: { id: 7, username: self } })],
        // Newest first, as GitLab sorts them by default.
        [
          'GET',
          new RegExp(`^${project}/merge_requests/(\\d+)/notes$`),
          ([number], _body, url) => page(url, (comments.get(Number(number)) ?? []).map(show).toReversed()),
        ],
        [
          'POST',
          new RegExp(`^${project}/merge_requests/(\\d+)/notes$`),
          ([number], body) => ({ status: 201, json: show(add(Number(number), textOf(body))) }),
        ],
        [
          'PUT',
          new RegExp(`^${project}/merge_requests/\\d+/notes/(\\d+)$`),
          ([id], body) => change(comments, Number(id), body, show),
        ],
        [
          'GET',
          new RegExp(`^${project}/repository/commits/([0-9a-f]{40})/merge_requests$`),
          ([sha], _body, url) =>
            page(
              url,
              merged
                .filter((one) => one.sha === sha)
                .map(({ number }) => ({
                  iid: number,
                  state: 'merged',
                  sha: null,
                  merge_commit_sha: sha,
                  squash_commit_sha: null,
                })),
            ),
        ],
      ];
    },
  });
}

const self = 'github-actions[bot]';

async function startHost({ refuse, mostLetters, tooLong, routes }: Shape): Promise<HostEmulator> {
  const token = 'a-token-of-the-code-host';
  const comments = new Map<number, HostComment[]>();
  const merged: HostEmulator['merged'] = [];
  const requests: string[] = [];
  let nextId = 1_000;
  let failure: number | undefined;
  const add = (number: number, body: string) => {
    nextId += 1;
    const comment = { id: nextId, author: self, body };
    comments.set(number, [...(comments.get(number) ?? []), comment]);
    return comment;
  };
  const table = routes({ comments, merged, add });
  const answer = (request: IncomingMessage, text: string): Answer => {
    const { method = '' } = request;
    const url = new URL(request.url ?? '', 'http://host');
    requests.push(`${method} ${url.pathname}`);
    const refused = refuse(request, token);
    if (refused !== undefined) return refused;
    if (failure !== undefined && method === 'GET') {
      const status = failure;
      failure = undefined;
      return { status, json: {}, headers: { 'retry-after': '0' } };
    }
    for (const [wanted, path, reply] of table) {
      const found = path.exec(url.pathname);
      if (wanted !== method || found === null) continue;
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      if (method !== 'GET') {
        const isText = request.headers['content-type'] === 'application/json' && textOf(body) !== '';
        if (!isText) return { status: 400, json: { message: 'body is missing' } };
        if ([...textOf(body)].length > mostLetters) return tooLong;
      }
      return reply(found.slice(1), body, url);
    }
    return { status: 404, json: { message: 'Not Found' } };
  };
  const listening = await listenLocally(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { status, json, headers } = answer(request, Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
    }),
  );
  return {
    ...listening,
    token,
    comments,
    requests,
    merged,
    failNext: (status) => {
      failure = status;
    },
  };
}

function page(url: URL, all: readonly unknown[]): Answer {
  const [size, number] = ['per_page', 'page'].map((name) => Number(url.searchParams.get(name)));
  assert.ok(size !== undefined && size <= 100 && number !== undefined);
  return { status: 200, json: all.slice((number - 1) * size, number * size) };
}

function change(
  comments: HostEmulator['comments'],
  id: number,
  body: unknown,
  show: (comment: HostComment) => unknown,
): Answer {
  const comment = [...comments.values()].flat().find((one) => one.id === id);
  if (comment === undefined) return { status: 404, json: { message: 'Not Found' } };
  // Nobody changes what others wrote with the token of a job.
  if (comment.author !== self) return { status: 403, json: { message: 'Must have admin rights' } };
  comment.body = textOf(body);
  return { status: 200, json: show(comment) };
}

function textOf(body: unknown): string {
  const text = (body as { body?: unknown } | undefined)?.body;
  return typeof text === 'string' ? text : '';
}
