import { connectLinkMinutes, contextFor, handOverSeconds, openConnectLink, openHandOver } from '@latchkey/core';
import { AppError, anyPlatform } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpOptions } from '../http/http-options.ts';
import { networkOf } from '../http/rate-limiter.ts';
import { type Asset, assetsPath, consoleBuild } from './build.ts';
import { offerWalletConnect } from './offer-wallet-connect.ts';
import { addPictures } from './pictures.ts';
import { sendPage } from './send-page.ts';

const yearSeconds = 365 * 24 * 60 * 60;

/** Serves the files that pages are made of. */
export function addAssets(fastify: FastifyInstance): void {
  fastify.get<{ Params: { file: string } }>(`${assetsPath}:file`, async (request, reply) => {
    const asset = await consoleBuild.findAsset(request.params.file);
    if (asset === undefined) throw new AppError('ROUTE_NOT_FOUND', 'File not found.');
    return sendAsset(request, reply, asset);
  });
}

/** Serves the page behind a link to connect wallets, and what all pages are made of. */
export function addPages(fastify: FastifyInstance, { server }: Pick<HttpOptions, 'server'>): void {
  addAssets(fastify);
  addPictures(fastify, server.services, limit);

  fastify.get<{ Params: { slug: string } }>('/connect/:slug', async (request, reply) => {
    await limit(request);
    const anyone = contextFor(server.services, { kind: 'anonymous' });
    const page = await openConnectLink(anyone, request.params.slug);
    const { serviceName } = server.services.settings;
    if (page !== undefined) return sendPage(reply, { ...page, ...offerWalletConnect(server.config, serviceName) });
    return sendPage(reply.code(404), {
      page: 'notice',
      title: 'This link has expired',
      text: `Links to connect a wallet work for ${connectLinkMinutes} minutes. Go back to where you got it, in ${anyPlatform}, and ask for a new one.`,
    });
  });

  fastify.get<{ Params: { ticket: string } }>('/hand-over/:ticket', async (request, reply) => {
    await limit(request);
    const anyone = contextFor(server.services, { kind: 'anonymous' });
    const page = await openHandOver(anyone, request.params.ticket);
    if (page !== undefined) return sendPage(reply, page);
    return sendPage(reply.code(404), {
      page: 'notice',
      title: 'This link has expired',
      text: `It works once, for ${handOverSeconds / 60} minutes. Go back to the page where you began and start again.`,
    });
  });

  /** Slugs cannot be guessed, but each guess asks the database. */
  async function limit(request: FastifyRequest): Promise<void> {
    const rule = { ...server.config.anonymousRate, bucket: `address:${networkOf(request.ip)}` };
    const { allowed, retryAfterSeconds } = await server.limiter.take([rule]);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many requests. Try again shortly.', { retryAfterSeconds });
  }
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, bodies }: Asset): FastifyReply {
  const accepted = new Set((request.headers['accept-encoding'] ?? '').split(/\s*,\s*/));
  const coding = [...bodies.keys()].find((name) => accepted.has(name)) ?? 'identity';
  reply.headers({
    'cache-control': `public, max-age=${yearSeconds}, immutable`,
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
  });
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(type).send(bodies.get(coding));
}
