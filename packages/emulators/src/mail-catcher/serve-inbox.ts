import { createServer, type Server } from 'node:http';
import type { Inbox } from './inbox.ts';

interface Answer {
  status: number;
  body?: unknown;
}

const notFound: Answer = {
  status: 404,
  body: { error: 'Nothing is here. Try GET /messages, GET /messages/{id} or DELETE /messages.' },
};

/** Serves the inbox over HTTP, for browsers and for tests in other processes. */
export function serveInbox(inbox: Inbox): Server {
  return createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { status, body } = answer(inbox, request.method, request.url);
    response.writeHead(status, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
    response.end(body === undefined ? undefined : JSON.stringify(body, null, 2));
  });
}

function answer(inbox: Inbox, method = 'GET', url = '/'): Answer {
  const [path = ''] = url.split('?');
  if (path === '/messages' && method === 'GET') return { status: 200, body: inbox.list() };
  if (path === '/messages' && method === 'DELETE') {
    inbox.clear();
    return { status: 204 };
  }
  const [, id] = /^\/messages\/(\d+)$/.exec(path) ?? [];
  const message = id !== undefined && method === 'GET' ? inbox.find(id) : undefined;
  return message === undefined ? notFound : { status: 200, body: message };
}
