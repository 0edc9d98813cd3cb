import type { Tx } from '@latchkey/db';
import { AppError, anyone, app, notFound, OpenObject, op, Redirect, resource, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { findRedirectTargets } from '../client-apps/index.ts';
import { CreateStateResponse, keepContent, openContent, type ShortLink } from './slug.ts';

const maxUrlLength = 2048;

/**
 * Checks a redirect target. A short link has this server's name, so it must not become an open redirect: only targets
 * that the caller's client application has registered are allowed.
 */
export async function ownRedirectTarget(
  ctx: Pick<Context, 'actor' | 'db' | 'settings'>,
  url: string,
  path = '/url',
): Promise<string> {
  const { client } = ctx.actor;
  const targets =
    client === undefined
      ? { redirectUris: [], allowedOrigins: [new URL(ctx.settings.baseUrl).origin] }
      : ((await findRedirectTargets(ctx, client.id)) ?? { redirectUris: [], allowedOrigins: [] });
  const parsed = url.length <= maxUrlLength ? URL.parse(url) : null;
  if (parsed === null || !isAllowed(url, parsed, targets)) throw refused(client !== undefined, path);
  // Returns the normalized URL that was checked: a browser and a simpler client may read unusual notations differently.
  return parsed.href;
}

function isAllowed(url: string, parsed: URL, targets: { redirectUris: string[]; allowedOrigins: string[] }): boolean {
  if (targets.redirectUris.includes(url)) return true;
  const isWeb = parsed.protocol === 'https:' || parsed.protocol === 'http:';
  return isWeb && parsed.username === '' && parsed.password === '' && targets.allowedOrigins.includes(parsed.origin);
}

function refused(hasClient: boolean, path: string): AppError {
  const message = hasClient
    ? 'Use one of the redirectUris of the client application, or an address under one of its allowedOrigins.'
    : 'Use an address on this server: other addresses require a client application.';
  return new AppError('VALIDATION_FAILED', `The body at ${path} contains an address that is not allowed.`, {
    details: [{ path, code: 'redirectNotAllowed', message }],
  });
}

export const stateTtlSeconds = 15 * 60;
const maxStateBytes = 64 * 1024;

type CreateContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'tx'>;

export async function createState(ctx: CreateContext, { body }: { body: Record<string, unknown> }): Promise<ShortLink> {
  checkSize(body);
  const location = typeof body.url === 'string' ? await ownRedirectTarget(ctx, body.url) : null;
  return ctx.tx((tx) => keepContent(ctx, tx, { kind: 'state', state: body, location }, stateTtlSeconds));
}

/** Stores a state for a feature, for longer than callers may. */
export async function keepState(
  ctx: Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'settings'>,
  tx: Tx,
  state: Record<string, unknown>,
  ttlSeconds: number,
): Promise<ShortLink> {
  checkSize(state);
  return keepContent(ctx, tx, { kind: 'state', state, location: null }, ttlSeconds);
}

function checkSize(state: Record<string, unknown>): void {
  if (Buffer.byteLength(JSON.stringify(state)) <= maxStateBytes) return;
  throw new AppError(
    'BODY_TOO_LARGE',
    `A state can have up to ${maxStateBytes} bytes; store larger data on your side.`,
  );
}

/** Creates a short link to a URL that the feature chose. A URL that came from a caller must be checked first. */
export async function createSlug(
  ctx: Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'settings'>,
  tx: Tx,
  { url, ttlSeconds }: { url: string; ttlSeconds: number },
): Promise<ShortLink> {
  return keepContent(ctx, tx, { kind: 'redirect', location: new URL(url).href }, ttlSeconds);
}

const slugParam = T.String({ description: 'The last part of the short link.', minLength: 1, maxLength: 64 });

export const slugs = resource('slugs', 'Short links.', [
  op(
    'GET /slugs/{slug}',
    {
      id: 'redirectSlug',
      sdk: 'UrlSlugController.redirect',
      summary: 'Follow a short link',
      description:
        'Redirects to the address of the link: the url of the state, if it has one, or else the state itself. Unknown and expired links return the same error.',
      access: anyone,
      params: { slug: slugParam },
      returns: Redirect,
      errors: ['ENTITY_NOT_FOUND'],
    },
    redirectSlug,
  ),
]);

export const states = resource(
  'states',
  'State stored behind short links, for flows that continue in another program.',
  [
    op(
      'POST /states',
      {
        id: 'createState',
        sdk: 'UrlSlugController.createState',
        summary: 'Store a state',
        description: `Stores any JSON object of up to ${maxStateBytes} bytes, encrypted, for ${stateTtlSeconds / 60} minutes, and returns a short link to it. Anyone with the link can read the state. If the object has a string field named url, the link redirects there; it must be one of the redirectUris of the client application or be under one of its allowedOrigins.`,
        access: app('state:create'),
        body: OpenObject,
        returns: CreateStateResponse,
        repeatable: true,
      },
      createState,
    ),
    op(
      'GET /states/{slug}',
      {
        id: 'getState',
        sdk: 'UrlSlugController.getState',
        summary: 'Get a state',
        description: 'Returns the object as it was stored. Unknown and expired states return the same error.',
        access: anyone,
        params: { slug: slugParam },
        returns: OpenObject,
        errors: ['ENTITY_NOT_FOUND'],
      },
      getState,
    ),
  ],
);

/** Returns the state of a slug; undefined if it is unknown, something else or expired. */
export async function openState(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  slug: string,
): Promise<Record<string, unknown> | undefined> {
  const content = await openContent(ctx, slug);
  return content?.kind === 'state' ? content.state : undefined;
}

export async function getState(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  { slug }: { slug: string },
): Promise<Record<string, unknown>> {
  const state = await openState(ctx, slug);
  if (state === undefined) throw notFound('state');
  return state;
}

/** Returns the target of a short link; undefined if it is unknown, has none or has expired. */
export async function findLocation(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  slug: string,
): Promise<string | undefined> {
  return (await openContent(ctx, slug))?.location ?? undefined;
}

export async function redirectSlug(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>,
  { slug }: { slug: string },
): Promise<{ location: string }> {
  const content = await openContent(ctx, slug);
  if (content === undefined) throw notFound('slug');
  return { location: content.location ?? `${ctx.settings.baseUrl}/states/${slug}` };
}
