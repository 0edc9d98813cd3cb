import { type AuditDetail, auditOf, type Context, contextFor, recordAudit, selectCommunity } from '@latchkey/core';
import type { Tx } from '@latchkey/db';
import { traced } from '@latchkey/db/origin';
import { findBrowser } from '../../console/index.ts';
import { runOnce } from '../idempotency.ts';
import { localeOf } from '../locale-of.ts';
import { expectedTags, runIfUnchanged } from '../preconditions.ts';
import type { Server, Visit } from '../visit.ts';

/** Runs the verb. With an Idempotency-Key, the verb and the record of its response are one transaction. */
export async function runVerb(visit: Visit, server: Server): Promise<void> {
  const verb = visit.operation.verb as (ctx: unknown, input: unknown) => unknown;
  const origin = { requestId: visit.request.id, address: visit.request.ip };
  const browser = await findBrowser(visit, server);
  const warn = (message: string) => {
    visit.warnings = [...visit.warnings, message];
  };
  const locale = localeOf(visit.request);
  const services = { ...server.services, origin, warn, locale, ...(browser !== undefined && { browser }) };
  const communityId = await findCommunityId(visit, server);
  const contextIn = (joined?: Tx) => contextFor(services, visit.actor, joined);
  const run = async (joined?: Tx) => {
    const ctx = contextIn(joined);
    const answer = await verb(ctx, visit.input);
    await putOnRecord(ctx, visit, communityId);
    return answer;
  };
  const { idempotencyKey } = visit;
  const tags = expectedTags(visit);
  const runAsAsked = () => {
    if (tags !== undefined) return runIfUnchanged(visit, server, { tags, contextIn, run });
    return idempotencyKey === undefined ? run() : runOnce(visit, idempotencyKey, server, run);
  };
  visit.answer = await traced(() => ({ name: visit.operation.contract.id, kind: 'internal' }), runAsAsked);
}

const ofOperator = '/latchkey/operator/';

/** Writes the audit entry before the response is sent. */
async function putOnRecord(ctx: Context, { operation, input }: Visit, communityId?: string): Promise<void> {
  const { audit, auditedFields = [] } = operation.contract;
  if (audit === undefined) return;
  // A slug is a credential for what it names, so it is not recorded.
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const ids = names.filter((name) => name !== 'slug').map((name) => String(input[name]));
  const fields: Readonly<Record<string, unknown>> = { ...fieldsOf(input.body), ...input };
  const report = new Map(auditedFields.flatMap((name) => detailOf(name, fields[name])));
  const reason = report.get('reason') ?? report.get('notes');
  for (const name of ['notes', 'reason']) report.delete(name);
  const entry = auditOf(ctx, audit, {
    target: ids.at(-1),
    communityId,
    // A user finds actions of the operator on them in their own log.
    ...(operation.path.startsWith(ofOperator) && { subject: subjectOf(fields) }),
    ...(typeof reason === 'string' && { reason }),
    details: Object.fromEntries(report),
  });
  await ctx.tx((tx) => recordAudit(tx, entry));
}

/** Finds the id of the community that an audited operation is about, before the operation can delete it. */
async function findCommunityId({ operation, input }: Visit, { services }: Server): Promise<string | undefined> {
  const { path, contract } = operation;
  const { audit, access } = contract;
  const isOperators = path.startsWith(ofOperator) && path.includes('{communityId}');
  const param = access.object?.what === 'community' ? access.object.param : isOperators ? 'communityId' : undefined;
  if (audit === undefined || param === undefined) return undefined;
  return (await selectCommunity(services.db.system, String(input[param])))?.id;
}

function subjectOf({ userId }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof userId === 'string' ? userId : undefined;
}

function detailOf(name: string, value: unknown): [string, AuditDetail][] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
  return Array.isArray(value) ? [[name, value.map(String)]] : [];
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
