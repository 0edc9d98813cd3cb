import { EgressFailed, EgressRefused, type EgressResponse } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type SignatureKind, signActionAs } from './action-signature.ts';
import { type Framework, frameworkOf } from './templates.ts';

export type CallContext = Pick<Context, 'clock' | 'db' | 'egress' | 'evmWallets' | 'keyring'>;

export const callTimeoutMs = 30_000;
export const maxResponseBytes = 256 * 1024;

/** A mini-app did not respond, or not with a usable response. The message is shown to users. */
export class AppFailed extends Error {
  override readonly name = 'AppFailed';
  /** The HTTP status, if the app responded. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** An app refuses calls that are signed correctly: it has no key, or another one. */
export class KeyDiffers extends AppFailed {}

/** Returns the JSON of GET …/metadata, and the framework that responded. */
export async function askMetadata(
  ctx: CallContext,
  url: string,
): Promise<{ metadata: unknown; framework: Framework | undefined }> {
  const response = await send(ctx, { method: 'GET', url: `${url}/metadata`, timeoutMs: callTimeoutMs });
  return { metadata: readJson(response), framework: frameworkOf(response) };
}

/** Sends a signed body to a mini-app and returns the JSON that came back; undefined for 204. */
export async function callApp(
  ctx: CallContext,
  url: string,
  body: string,
  { signature, signal }: { signature: SignatureKind; signal?: AbortSignal | undefined },
): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(await signActionAs(ctx, signature, body)) };
  const response = await send(ctx, {
    method: 'POST',
    url,
    headers,
    body,
    timeoutMs: callTimeoutMs,
    ...(signal && { signal }),
  });
  return response.status === 204 || response.body.length === 0 ? undefined : readJson(response);
}

/** Sends a request unchanged and returns the status, to test whether an app refuses what it should. */
export async function knock(
  ctx: CallContext,
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<number> {
  const request = { method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, body } as const;
  return (await exchange(ctx, { ...request, timeoutMs: callTimeoutMs })).status;
}

type Request = Parameters<Context['egress']['send']>[0];

async function send(ctx: CallContext, request: Request): Promise<EgressResponse> {
  const response = await exchange(ctx, request);
  if (response.status < 200 || response.status >= 300)
    throw new AppFailed(`The mini-app answered ${response.status}.`, response.status);
  return response;
}

async function exchange(ctx: CallContext, request: Request): Promise<EgressResponse> {
  try {
    return await ctx.egress.send({ maxResponseBytes, ...request });
  } catch (error) {
    if (error instanceof EgressRefused) throw new AppFailed(`${error.message}${hintFor(error)}`);
    if (error instanceof EgressFailed) throw new AppFailed(error.message);
    throw error;
  }
}

function hintFor({ reason }: EgressRefused): string {
  return reason === 'address' || reason === 'host'
    ? ' Use a public address, or have the operator set LATCHKEY_ALLOW_PRIVATE_CALLBACKS=true.'
    : '';
}

function readJson({ body, status }: EgressResponse): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw new AppFailed('The mini-app sent invalid JSON.', status);
  }
}
