import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface PoapState {
  apiKey: string;
  tokens: { owner: string; eventId: number; tokenId: string }[];
}

export interface PoapEmulator extends HttpEmulator {
  state: PoapState;
}

/** Starts the POAP API: what an address holds, in total or of one event. */
export async function startPoapEmulator(address: EmulatorAddress = {}): Promise<PoapEmulator> {
  const state: PoapState = { apiKey: 'poap-key', tokens: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: PoapState, { path, headers }: EmulatorRequest): EmulatorReply {
  const key = headers['x-api-key'];
  if (key === undefined) return failed(401, 'Unauthorized', 'No API key found in request');
  if (key !== state.apiKey) return failed(403, 'Forbidden', 'Invalid API key');
  const [, address, eventId] = /^\/actions\/scan\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (address === undefined) return failed(404, 'Not Found', `Route GET:${path} not found`);
  const held = state.tokens.filter(({ owner }) => owner.toLowerCase() === address.toLowerCase());
  if (eventId === undefined)
    return { body: held.map((token) => ({ ...write(token), chain: 'xdai', created: '2026-01-01 00:00:00' })) };
  if (!/^\d+$/.test(eventId)) return failed(400, 'Bad Request', 'params/eventId must be integer');
  const found = held.find((token) => token.eventId === Number(eventId));
  return found ? { body: write(found) } : failed(404, 'Not Found', 'Address does not have token for this event');
}

function write({ owner, eventId, tokenId }: PoapState['tokens'][number]) {
  return { event: { id: eventId, fancy_id: `event-${eventId}`, name: `Event ${eventId}`, year: 2026 }, tokenId, owner };
}

function failed(statusCode: number, error: string, message: string): EmulatorReply {
  return { status: statusCode, body: { statusCode, error, message } };
}
