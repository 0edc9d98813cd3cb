import type { Context } from '../../context.ts';
import { type SignatureKind, signActionAs, signatureWindowMs } from './action-signature.ts';
import { AppFailed, askMetadata, knock } from './call-app.ts';
import { findSignature } from './find-signature.ts';
import { probeEvent, probeInteraction } from './probe-bodies.ts';
import type { AppProfile } from './profile.ts';
import type { MiniAppRow } from './queries.ts';
import { BadMetadata, readMetadata } from './read-metadata.ts';

/** `unsafe`: it accepted a call that this server did not make. `failed`: it could not be judged, or does not work. */
export type ProbeResult =
  | { kind: 'safe'; profile: AppProfile; signature: SignatureKind }
  | { kind: 'unsafe'; reason: string }
  | { kind: 'failed'; reason: string };

/**
 * Looks what a mini-app says of itself, which signatures it verifies, and whether it believes calls that it must not:
 * without a signature, without a time, with a wrong one and with one that is too old.
 */
export async function probeApp(
  ctx: Context,
  app: Pick<MiniAppRow, 'id' | 'url' | 'organization_id' | 'name'>,
): Promise<ProbeResult> {
  const { url } = app;
  if (url === null) return { kind: 'failed', reason: 'It has no address to be called at.' };
  try {
    const own = { appId: app.id, developer: app.organization_id, name: app.name };
    const profile = readMetadata(await askMetadata(ctx, url), own);
    const { signature, hasEvents } = await findSignature(ctx, url, profile);
    const doors = [
      { path: '/interactions', body: probeInteraction(profile) },
      ...(hasEvents ? [{ path: '/events', body: probeEvent(ctx.clock()) }] : []),
    ];
    for (const { path, body } of doors) {
      const found = await findCredulity(ctx, { path, address: `${url}${path}`, body }, signature);
      if (found !== undefined) return found;
    }
    return { kind: 'safe', profile, signature };
  } catch (error) {
    if (error instanceof AppFailed || error instanceof BadMetadata) return { kind: 'failed', reason: error.message };
    throw error;
  }
}

interface Door {
  path: string;
  address: string;
  body: string;
}

async function findCredulity(
  ctx: Context,
  { path, address, body }: Door,
  signature: SignatureKind,
): Promise<ProbeResult | undefined> {
  for (const { what, headers, isUnused } of await forge(ctx, body, signature)) {
    const status = await knock(ctx, address, body, headers);
    if (status < 400)
      return { kind: 'unsafe', reason: `It accepted a call ${what} (it answered ${status} at ${path}).` };
    // An app with one key cannot check the other kind, and says so in its own way.
    if (status >= 500 && !isUnused)
      return {
        kind: 'failed',
        reason: `It answered ${status} to a call ${what} at ${path}. It must answer 400 or 401.`,
      };
  }
  return undefined;
}

interface Forged {
  what: string;
  headers: Record<string, string>;
  /** Whether it carries only a kind of signature that the app gets no calls with. */
  isUnused?: boolean;
}

async function forge(ctx: Context, body: string, signature: SignatureKind): Promise<Forged[]> {
  const { 'x-signature-timestamp': time = '', ...untimed } = await signActionAs(ctx, signature, body);
  const longAgo = { ...ctx, clock: () => new Date(Number(time) - 2 * signatureWindowMs) };
  const old = await signActionAs(longAgo, signature, body);
  const ofAnother = async (kind: 'ed25519' | 'ecdsa') => ({
    headers: { ...(await signActionAs(ctx, kind, `${body} `)), 'x-signature-timestamp': time },
    isUnused: signature !== 'both' && signature !== kind,
  });
  return [
    { what: 'without a signature', headers: { 'x-signature-timestamp': time } },
    { what: 'without a time', headers: untimed },
    { what: 'with the Ed25519 signature of another body', ...(await ofAnother('ed25519')) },
    { what: 'with the ECDSA signature of another body', ...(await ofAnother('ecdsa')) },
    { what: 'with a signature that is ten minutes old', headers: old },
    { what: 'with an old signature and a new time', headers: { ...old, 'x-signature-timestamp': time } },
  ];
}
