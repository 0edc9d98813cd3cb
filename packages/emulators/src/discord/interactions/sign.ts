import { ed25519 } from '@noble/curves/ed25519.js';
import type { Application } from '../state/types.ts';
import type { World } from '../state/world.ts';

export interface Answered {
  status: number;
  body: unknown;
}

/** Posts an interaction as Discord does: signed over the timestamp and the body. */
export async function postSigned(
  world: World,
  application: Application,
  url: string,
  payload: unknown,
  spoilSignature = false,
): Promise<Answered> {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(world.clock() / 1000));
  const signature = ed25519.sign(Buffer.from(timestamp + body), application.privateKey);
  if (spoilSignature) signature[0] = (signature[0] ?? 0) ^ 0xff;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Discord-Interactions/1.0 (+https://discord.com)',
      'x-signature-ed25519': Buffer.from(signature).toString('hex'),
      'x-signature-timestamp': timestamp,
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(world.answerWithinMs),
  });
  const text = await response.text();
  return { status: response.status, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
