import type { Context } from '../../context.ts';
import { signAction, signatureWindowMs } from './action-signature.ts';
import { AppFailed, askMetadata, knock } from './call-app.ts';
import type { AppProfile } from './profile.ts';
import type { MiniAppRow } from './queries.ts';
import { BadMetadata, readMetadata } from './read-metadata.ts';

/** `unsafe`: it took a call that nobody of ours made. `failed`: it could not be judged, or does not work. */
export type ProbeResult =
  | { kind: 'safe'; profile: AppProfile }
  | { kind: 'unsafe'; reason: string }
  | { kind: 'failed'; reason: string };

/**
 * Looks what a mini-app says of itself, and whether it believes calls that it must not: without a signature, without a
 * time, with a wrong one and with one that is too old. A rightly signed event must be taken.
 */
export async function probeApp(
  ctx: Context,
  app: Pick<MiniAppRow, 'id' | 'url' | 'organization_id' | 'name'>,
): Promise<ProbeResult> {
  if (app.url === null) return { kind: 'failed', reason: 'It has no address to be called at.' };
  try {
    const own = { appId: app.id, developer: app.organization_id, name: app.name };
    const profile = readMetadata(await askMetadata(ctx, app.url), own);
    return (await findCredulity(ctx, app.url)) ?? { kind: 'safe', profile };
  } catch (error) {
    if (error instanceof AppFailed || error instanceof BadMetadata) return { kind: 'failed', reason: error.message };
    throw error;
  }
}

async function findCredulity(ctx: Context, url: string): Promise<ProbeResult | undefined> {
  const address = `${url}/events`;
  const body = JSON.stringify({ event: 'install', guildId: '0', timestamp: ctx.clock().getTime() });
  const right = await signAction(ctx, body);
  const now = Number(right['x-signature-timestamp']);
  const longAgo = { ...ctx, clock: () => new Date(now - 2 * signatureWindowMs) };
  const other = await signAction(ctx, `${body} `);
  const { 'x-signature-timestamp': time, 'x-signature-ed25519': ed25519, 'x-signature-ecdsa': ecdsa } = right;
  const forged: [what: string, headers: Record<string, string>][] = [
    ['without a signature', { 'x-signature-timestamp': time }],
    ['without a time', { 'x-signature-ed25519': ed25519, 'x-signature-ecdsa': ecdsa }],
    [
      'with the Ed25519 signature of another body',
      { ...pick(other, 'x-signature-ed25519'), 'x-signature-timestamp': time },
    ],
    [
      'with the ECDSA signature of another body',
      { ...pick(other, 'x-signature-ecdsa'), 'x-signature-timestamp': time },
    ],
    ['with a signature that is ten minutes old', { ...(await signAction(longAgo, body)) }],
    ['with an old signature and a new time', { ...(await signAction(longAgo, body)), 'x-signature-timestamp': time }],
  ];
  for (const [what, headers] of forged) {
    const status = await knock(ctx, address, body, headers);
    if (status < 400) return { kind: 'unsafe', reason: `It took a call ${what} (answered ${status}).` };
    if (status >= 500) return { kind: 'failed', reason: `It answered ${status} to a call ${what}.` };
  }
  const status = await knock(ctx, address, body, { ...right });
  if (status >= 300) return { kind: 'failed', reason: `It answered ${status} to a call that was signed rightly.` };
  return undefined;
}

function pick<Name extends string>(headers: Record<Name, string>, name: Name): Record<string, string> {
  return { [name]: headers[name] };
}
