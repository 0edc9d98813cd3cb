import { createHash } from 'node:crypto';
import { type Context, tenantOf } from '@latchkey/core';
import { isLostRace, sql, type Tx } from '@latchkey/db';
import { AppError, isChange, type Operation, readerInput } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compileOperation } from './compile.ts';
import { requireAdmission, requirePlanScopes, requireScopes } from './steps/authorize.ts';
import type { Server, Visit } from './visit.ts';

/** How often a change is tried whose transaction conflicts with others. */
const mostTries = 3;

/** The entity tag of an object: it differs whenever the JSON does. */
export function tagOf(json: string): string {
  return `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;
}

/** Sets the ETag. Returns whether the client has this version already (RFC 9110, 13.1.2). */
export function isKnown(tag: string, request: FastifyRequest, reply: FastifyReply): boolean {
  reply.header('etag', tag);
  return readTags(request, 'if-none-match')?.some((one) => one === '*' || one.replace(/^W\//, '') === tag) ?? false;
}

/** The ETags that a change is only for; undefined if it is for every version (RFC 9110, 13.1.1). */
export function expectedTags({ operation, request }: Visit): readonly string[] | undefined {
  return isChange(operation) ? readTags(request, 'if-match') : undefined;
}

function readTags({ headers }: FastifyRequest, name: 'if-match' | 'if-none-match'): string[] | undefined {
  return headers[name]?.split(',').map((tag) => tag.trim());
}

/**
 * Runs a change if the object still has one of these tags. Reading it and changing it are one transaction, which fails
 * and is tried again if another one changes the same rows: of two changes of one version, only one succeeds.
 */
export async function runIfUnchanged(
  visit: Visit,
  server: Server,
  { tags, contextIn, run }: { tags: readonly string[]; contextIn(tx: Tx): Context; run(tx: Tx): Promise<unknown> },
): Promise<unknown> {
  const { reader } = visit;
  if (reader === undefined) throw new AppError('PRECONDITION_FAILED', 'This operation has no ETag. Omit If-Match.');
  const input = readerInput(visit.operation, reader, visit.input);
  const reading: Visit = { ...visit, operation: reader, reader: undefined, input };
  requireScopes(reading);
  await requirePlanScopes(reading, server);
  await requireAdmission(reading, server);
  const work = async (tx: Tx) => {
    // Also fixes what the transaction sees before the object is read, so that no change in between is missed.
    await lockVersion(tx, reader, input);
    const tag = await readTag(reader, reading, contextIn(tx));
    // Weak tags never match here (RFC 9110, 8.8.3.2).
    if (!tags.some((one) => one === '*' || one === tag))
      throw new AppError('PRECONDITION_FAILED', 'The object has changed since you read it. Read it again.');
    return run(tx);
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await server.services.db.transaction(tenantOf(visit.actor), work, { isolation: 'serializable' });
    } catch (error) {
      if (tries === mostTries || !isLostRace(error)) throw error;
    }
  }
}

/**
 * Some changes run in transactions of their own, which the one around them does not protect: of those that name a version of
 * an object, only one runs at a time. Nothing waits, because each holds a connection.
 */
async function lockVersion(tx: Tx, { route }: Operation, input: Readonly<Record<string, unknown>>): Promise<void> {
  const { rows } = await sql<{ isHeld: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${route} ${JSON.stringify(input)}`}, 0)) as "isHeld"`.execute(
    tx,
  );
  if (rows[0]?.isHeld !== true)
    throw new AppError('PRECONDITION_FAILED', 'Another request is changing this object right now. Read it again.');
}

async function readTag(reader: Operation, { input }: Visit, ctx: Context): Promise<string> {
  const verb = reader.verb as (ctx: unknown, input: unknown) => unknown;
  return tagOf(compileOperation(reader).writeAnswer(await verb(ctx, input)));
}
