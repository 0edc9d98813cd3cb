import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { Server } from '../http/visit.ts';
import { sendPage } from '../pages/index.ts';
import { problemOf } from './render-error.ts';
import { logoutPageOf } from './render-logout.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Lets the provider answer requests for a path, and shows what it could not answer. */
export function handOver(
  provider: Provider,
  { services }: Pick<Server, 'services'>,
  prepare: () => Promise<void>,
): (path: string) => Handler {
  const answer = provider.callback();
  const { protocol, host, pathname } = new URL(services.settings.baseUrl);
  const prefix = pathname.replace(/\/$/, '');

  return (path) => async (request, reply) => {
    await prepare();
    const { raw } = request;
    // What a request says of our own address does not count.
    Object.assign(raw.headers, { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) });
    raw.url = path + (/\?.*$/s.exec(raw.url ?? '')?.[0] ?? '');
    // By the difference of the two the provider knows where it is mounted.
    Object.assign(raw, { originalUrl: prefix + raw.url });
    // The provider looks at the origin of a page only where nobody has answered for it yet.
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined && !name.startsWith('access-control-')) reply.raw.setHeader(name, value);
    await answer(raw, reply.raw);
    const problem = problemOf(raw);
    const logout = logoutPageOf(raw);
    if (logout !== undefined) return showLogout(reply, logout);
    if (problem === undefined) return reply.hijack();
    return showProblem(request, reply, problem);
  };
}

function showProblem(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { status, out }: NonNullable<ReturnType<typeof problemOf>>,
): FastifyReply {
  reply.code(status);
  if (headers.accept?.includes('text/html') !== true) return reply.type('application/json; charset=utf-8').send(out);
  const reason = out.error_description ?? out.error;
  return sendPage(reply, {
    page: 'notice',
    title: 'This request cannot be answered',
    text: `The application you come from asked for something that this server refuses: ${reason}. Go back to it and try again, or tell the people behind it.`,
  });
}

/** What the provider has set, such as its cookie, goes along with our page. */
function showLogout(
  reply: FastifyReply,
  { data, formTarget }: NonNullable<ReturnType<typeof logoutPageOf>>,
): FastifyReply {
  for (const [name, value] of Object.entries(reply.raw.getHeaders()))
    if (name === 'set-cookie' && value !== undefined) reply.header(name, value);
  return sendPage(reply.code(200), data, ["'self'", ...(formTarget === undefined ? [] : [formTarget])]);
}
