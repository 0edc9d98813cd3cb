import type { TestPlatform } from '../../testing/index.ts';
import { isSignedByUs } from './action-signature.ts';

type Kind = 'ed25519' | 'ecdsa';

/** How a test app behaves. `keys` are the kinds of signature that it has a key for. */
export interface AppBehaviour {
  keys: readonly Kind[];
  hasEvents: boolean;
  /** The kinds of signature that it accepts without verification. */
  skips?: readonly Kind[];
  /** Whether it answers 500 to calls without a signature or a time, as the original's template in Python does. */
  crashesUnsigned?: boolean;
  /** What it answers to correctly signed interactions that it does not know; by default 501. */
  unknownInteraction?: number;
  metadata?: Record<string, unknown>;
  /** The headers of its responses. */
  headers?: Record<string, string>;
}

/** Replaces the chain adapter: its ECDSA signatures contain the signed text. */
const plainEcdsa = {
  personalSign: (_key: Uint8Array, text: string) => `0x${Buffer.from(text).toString('hex')}`,
  isPersonalSignature: (_key: string, text: Uint8Array, signature: string) =>
    signature === `0x${Buffer.from(text).toString('hex')}`,
};

/**
 * Makes external requests reach an app that verifies calls like the published framework: ECDSA if it gets both
 * signatures, and 503 for a kind that it has no key for. Returns the calls it got.
 */
export function actAsApp(t: TestPlatform, app: AppBehaviour): { path: string; kinds: Kind[]; status: number }[] {
  const calls: { path: string; kinds: Kind[]; status: number }[] = [];
  Object.assign(t.services.evmWallets, plainEcdsa);
  const statusOf = async (path: string, headers: Record<string, string>, body: string): Promise<number> => {
    if (path === '/events' && !app.hasEvents) return 404;
    const [timestamp, ecdsa, ed25519] = [
      headers['x-signature-timestamp'],
      headers['x-signature-ecdsa'],
      headers['x-signature-ed25519'],
    ];
    if (timestamp === undefined || (ecdsa ?? ed25519) === undefined) return app.crashesUnsigned === true ? 500 : 400;
    const kind = ecdsa === undefined ? 'ed25519' : 'ecdsa';
    if (app.skips?.includes(kind)) return 200;
    if (!app.keys.includes(kind)) return 503;
    const signature = { timestamp: Number(timestamp), ecdsa, ed25519 };
    if (!(await isSignedByUs(t.services, signature, Buffer.from(body)))) return 401;
    return path === '/events' ? 204 : JSON.parse(body).type === 4 ? (app.unknownInteraction ?? 501) : 200;
  };
  t.answer(async ({ url, headers = {}, body = '' }) => {
    const path = new URL(url).pathname;
    const reply = (status: number, json: unknown) => ({
      status,
      headers: app.headers ?? {},
      body: new TextEncoder().encode(status === 204 ? '' : JSON.stringify(json)),
    });
    if (path === '/metadata') return reply(200, app.metadata ?? {});
    const status = await statusOf(path, headers, String(body));
    const kinds = (['ed25519', 'ecdsa'] as const).filter((kind) => headers[`x-signature-${kind}`] !== undefined);
    calls.push({ path, kinds, status });
    return reply(status, { type: 4, data: { content: 'Hello.' } });
  });
  return calls;
}
