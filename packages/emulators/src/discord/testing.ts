import type { TestContext } from 'node:test';
import { until } from '@latchkey/test-kit';
import { patientMs } from '../http-emulator/testing/refuse-misbehaviour.ts';
import { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from './start.ts';

/** Starts an emulator that stops with its test. */
export async function emulatorFor(t: TestContext, options: DiscordEmulatorOptions = {}): Promise<DiscordEmulator> {
  const emulator = await startDiscordEmulator({ answerWithinMs: patientMs, ...options });
  t.after(emulator.stop);
  return emulator;
}

export interface ReceivedEvent {
  status: number;
  headers: Headers;
  /** The response as JSON of any type. */
  body: ReturnType<typeof JSON.parse>;
}

/** Sends a request as a bot directly, without a client that would wait for limits or retry. */
export async function ask(
  emulator: DiscordEmulator,
  route: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = { authorization: `Bot ${emulator.application.token}` },
): Promise<ReceivedEvent> {
  const [method = 'GET', path = ''] = route.split(' ');
  const response = await fetch(`${emulator.url}/v10${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export const eventually = <T>(look: () => T | undefined) => until(String(look), look);
