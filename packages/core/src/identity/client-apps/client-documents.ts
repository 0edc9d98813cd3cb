import { hashSecret, sql, type Tx } from '@latchkey/db';
import { addSeconds, isObject } from '@latchkey/kernel';
import { EgressFailed, EgressRefused } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { checkScopes, isSafeTransport, parsePlainUrl } from './check-fields.ts';
import { register, toColumns } from './create.ts';
import { findAppForUpdate, updateApp } from './queries.ts';
import { type ClientMetadata, RegistrationError, readMetadata, requireRoom, selfRegistered } from './registration.ts';
import { newClientSecret } from './secrets.ts';
import { actionOf, addAction } from './status.ts';

/*
 * Applications that need no registration: their client id is the address of a document with their metadata
 * (OAuth Client ID Metadata Document, draft-ietf-oauth-client-id-metadata-document). What was read is kept like a
 * registration, so that the operator sees and revokes these applications among all others.
 */

/** The longest client id: the address of a document. */
export const clientIdLimit = 512;
const maxDocumentBytes = 16 * 1024;
const timeoutMs = 5_000;
/** Bounds for what `cache-control` of a document asks for. */
const leastSeconds = 5 * 60;
const mostSeconds = 24 * 60 * 60;
/** How long a document that cannot be read counts as unchanged. */
const lastKnownSeconds = 24 * 60 * 60;
/** Documents that are read at the same time, so that slow servers do not take all connections. */
const maxReadsAtOnce = 20;

type DocumentContext = Pick<Context, 'actor' | 'clock' | 'db' | 'egress' | 'keyring' | 'random' | 'settings' | 'tx'>;

/** The document cannot be used. The message is for the people who run the application. */
export class ClientDocumentError extends Error {}

/** Whether a client id is the address of a document: written as browsers write it, with a path, and over https except on this machine. */
export function isDocumentAddress(id: string): boolean {
  const url = id.length <= clientIdLimit ? parsePlainUrl(id) : undefined;
  if (url === undefined || url.href !== id || url.pathname === '/' || id.includes('#')) return false;
  return url.username === '' && url.password === '' && isSafeTransport(url);
}

const reads = new Map<string, Promise<void>>();

/**
 * Reads the document of an application unless it is known; with `isCurrent` also if it is due to be read again. A document that is known
 * and cannot be read counts for another day; one that says something else than it may is refused at once.
 */
export async function readClientDocument(
  ctx: DocumentContext,
  address: string,
  { isCurrent }: { isCurrent: boolean },
): Promise<void> {
  const known = await ctx.db.system
    .selectFrom('client_apps')
    .select('document_due_at')
    .where('id', '=', address)
    .executeTakeFirst();
  const dueAt = known?.document_due_at ?? undefined;
  if (dueAt !== undefined && (!isCurrent || dueAt > ctx.clock())) return;
  if (ctx.settings.clientRegistration?.isOpen !== true) {
    if (dueAt === undefined) return;
    throw new ClientDocumentError('The operator of this server registers applications by hand.');
  }
  try {
    await readOnce(ctx, address);
  } catch (error) {
    if (!(error instanceof UnreadError)) throw error;
    const isKept = dueAt !== undefined && addSeconds(dueAt, lastKnownSeconds) > ctx.clock();
    if (!isKept) throw new ClientDocumentError(error.message);
  }
}

/** The document could not be read, which says nothing about it. */
class UnreadError extends Error {}

async function readOnce(ctx: DocumentContext, address: string): Promise<void> {
  const running = reads.get(address);
  if (running !== undefined) return running;
  if (reads.size >= maxReadsAtOnce)
    throw new UnreadError('Too many documents of applications are being read. Try again shortly.');
  const reading = read(ctx, address).finally(() => reads.delete(address));
  reads.set(address, reading);
  return reading;
}

async function read(ctx: DocumentContext, address: string): Promise<void> {
  const { metadata, forSeconds } = await fetchDocument(ctx, address);
  const { fields, settings } = await asDocumentError(() => {
    if (metadata.client_id !== address)
      throw new ClientDocumentError('The document at the client id must contain that address as client_id.');
    if ('client_secret' in metadata || /secret/.test(String(metadata.token_endpoint_auth_method)))
      throw new ClientDocumentError(
        'A document that anyone can read cannot agree on a secret: use none or private_key_jwt.',
      );
    return readMetadata({ token_endpoint_auth_method: 'none', ...metadata });
  });
  const dueAt = addSeconds(ctx.clock(), forSeconds);
  await ctx.tx(async (tx) => {
    const app = await findAppForUpdate(tx, address);
    if (app === undefined) return asDocumentError(() => addDescribed(ctx, tx, { address, fields, settings, dueAt }));
    const columns = toColumns(fields);
    const isChanged =
      JSON.stringify([app.redirect_uris, app.client_type, app.oauth_settings]) !==
      JSON.stringify([columns.redirect_uris, columns.client_type, settings]);
    await updateApp(tx, address, {
      ...columns,
      client_secret_hash: fields.clientType === 'public' ? null : hashSecret(newClientSecret(ctx.random)),
      oauth_settings: settings,
      document_due_at: dueAt,
      ...(isChanged && {
        actions: addAction(app.actions, actionOf(ctx, 'set-oauth-settings')),
        updated_at: ctx.clock(),
      }),
    });
  });
}

async function addDescribed(
  ctx: DocumentContext,
  tx: Tx,
  { address, fields, settings, dueAt }: ReturnType<typeof readMetadata> & { address: string; dueAt: Date },
): Promise<void> {
  await requireRoom(tx);
  const { rows } = await sql`select 1 from client_apps where id = ${address}`.execute(tx);
  if (rows.length > 0) return;
  await register(ctx, tx, {
    id: address,
    fields,
    ownerId: selfRegistered,
    ownerName: undefined,
    organizationId: undefined,
    status: 'APPROVED',
    allowedScopes: checkScopes('scopes', ctx.settings.clientRegistration?.scopes ?? []),
    actions: [actionOf(ctx, 'register')],
  });
  await updateApp(tx, address, { oauth_settings: settings, document_due_at: dueAt });
}

async function asDocumentError<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RegistrationError ? new ClientDocumentError(error.message) : error;
  }
}

async function fetchDocument(
  { egress }: DocumentContext,
  address: string,
): Promise<{ metadata: ClientMetadata; forSeconds: number }> {
  const { host } = new URL(address);
  const headers = { accept: 'application/json' };
  let response: Awaited<ReturnType<typeof egress.send>>;
  try {
    response = await egress.send({
      method: 'GET',
      url: address,
      headers,
      timeoutMs,
      maxResponseBytes: maxDocumentBytes,
    });
  } catch (error) {
    if (error instanceof EgressRefused) throw new ClientDocumentError(`This server may not read documents at ${host}.`);
    if (!(error instanceof EgressFailed)) throw error;
    if (error.kind === 'too_large')
      throw new ClientDocumentError(`The document at the client id must have at most ${maxDocumentBytes} bytes.`);
    throw new UnreadError(`The document at the client id could not be read: ${host} did not respond as expected.`);
  }
  const { status } = response;
  if (status === 429 || status >= 500)
    throw new UnreadError(`The document at the client id could not be read: ${host} responded ${status}.`);
  if (status !== 200)
    throw new ClientDocumentError(`There is no document at the client id: ${host} responded ${status}.`);
  const metadata = parse(Buffer.from(response.body).toString());
  if (metadata === undefined) throw new ClientDocumentError('The document at the client id must be a JSON object.');
  return { metadata, forSeconds: secondsFor(response.headers['cache-control'] ?? '') };
}

function parse(text: string): ClientMetadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function secondsFor(cacheControl: string): number {
  const [, seconds = '0'] = /(?:^|[,\s])max-age=(\d{1,9})/i.exec(cacheControl) ?? [];
  return Math.min(mostSeconds, Math.max(leastSeconds, Number(seconds)));
}
