import { hashSecret } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import {
  type ArtifactKind,
  type ArtifactRow,
  deleteArtifact,
  markConsumed,
  selectArtifact,
  selectByUid,
  upsertArtifact,
} from './queries.ts';

/** What the provider library stores under a secret id. Times are in seconds since 1970. */
export interface ArtifactContent {
  [field: string]: unknown;
  accountId?: string | undefined;
  grantId?: string | undefined;
  uid?: string | undefined;
  session?: { accountId?: string | undefined; uid?: string | undefined } | undefined;
  consumed?: unknown;
}

type StoreContext = Pick<Context, 'clock' | 'db' | 'keyring'>;

export async function putArtifact(
  ctx: StoreContext,
  kind: ArtifactKind,
  id: string,
  content: ArtifactContent,
  ttlSeconds: number,
): Promise<void> {
  const idHash = hashSecret(id);
  await upsertArtifact(ctx.db.system, {
    kind,
    id_hash: idHash,
    uid_hash: kind === 'session' && content.uid !== undefined ? hashSecret(content.uid) : null,
    user_id: content.accountId ?? content.session?.accountId ?? null,
    grant_id: content.grantId ?? null,
    content: ctx.keyring.seal(contentPlace(kind, idHash), JSON.stringify(content)),
    expires_at: addSeconds(ctx.clock(), ttlSeconds),
  });
}

export async function findArtifact(
  ctx: StoreContext,
  kind: ArtifactKind,
  id: string,
): Promise<ArtifactContent | undefined> {
  return open(ctx, await selectArtifact(ctx.db.system, kind, hashSecret(id)));
}

export async function findSessionByUid(ctx: StoreContext, uid: string): Promise<ArtifactContent | undefined> {
  return open(ctx, await selectByUid(ctx.db.system, 'session', hashSecret(uid)));
}

/** Consumes an artifact. Returns false if it was used before, including by a concurrent request. */
export function consumeArtifact(ctx: StoreContext, kind: ArtifactKind, id: string): Promise<boolean> {
  return markConsumed(ctx.db.system, kind, hashSecret(id), ctx.clock());
}

export function removeArtifact(ctx: StoreContext, kind: ArtifactKind, id: string): Promise<void> {
  return deleteArtifact(ctx.db.system, kind, hashSecret(id));
}

export function contentPlace(kind: string, idHash: string): string {
  return `oauth_artifacts.content:${kind}:${idHash}`;
}

// Sealed text is authenticated: it can only be what putArtifact wrote.
function open(ctx: StoreContext, row: ArtifactRow | undefined): ArtifactContent | undefined {
  if (row === undefined) return undefined;
  const content = JSON.parse(ctx.keyring.openText(contentPlace(row.kind, row.id_hash), row.content)) as ArtifactContent;
  return row.consumed_at === null ? content : { ...content, consumed: Math.floor(row.consumed_at.getTime() / 1000) };
}
