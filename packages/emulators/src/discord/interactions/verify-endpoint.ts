import { isFields } from '../fields.ts';
import type { Application } from '../state/types.ts';
import type { World } from '../state/world.ts';
import { postSigned } from './sign.ts';

const ping = 1;

/**
 * Sends two pings to an endpoint: a signed one must be answered with a pong, and one with a wrong signature with 401. Returns what is wrong
 * with it, or undefined.
 */
export async function verifyEndpoint(world: World, application: Application, url: string): Promise<string | undefined> {
  const payload = {
    id: world.nextId(),
    application_id: application.id,
    type: ping,
    token: world.nextToken('interaction'),
    version: 1,
  };
  try {
    const forged = await postSigned(world, application, url, payload, true);
    if (forged.status !== 401) return `It responded with ${forged.status} to a wrong signature instead of 401.`;
    const { status, body } = await postSigned(world, application, url, payload);
    const isPong = status === 200 && isFields(body) && body.type === 1;
    return isPong ? undefined : `It responded with ${status} to a ping instead of a pong.`;
  } catch (error) {
    return `It could not be reached: ${error instanceof Error ? error.message : String(error)}`;
  }
}
