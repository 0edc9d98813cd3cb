import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface PassportState {
  apiKey: string;
  scorers: Set<string>;
  /** Scores by address in lower case; all other addresses have zero. */
  scores: Map<string, string>;
}

export interface PassportEmulator extends HttpEmulator {
  state: PassportState;
}

/** Starts the API of Gitcoin Passport, version 2: the score of an address. */
export async function startPassportEmulator(address: EmulatorAddress = {}): Promise<PassportEmulator> {
  const state: PassportState = { apiKey: 'passport-key', scorers: new Set(['42']), scores: new Map() };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: PassportState, { path, headers }: EmulatorRequest): EmulatorReply {
  if (headers['x-api-key'] !== state.apiKey) return { status: 401, body: { detail: 'Invalid API Key.' } };
  const [, scorer, address = ''] = /^\/v2\/stamps\/([^/]+)\/score\/([^/]+)$/.exec(path) ?? [];
  if (scorer === undefined) return { status: 404, body: { detail: 'Not Found' } };
  if (!state.scorers.has(scorer)) return { status: 404, body: { detail: 'No Community matches the given query.' } };
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return { status: 400, body: { detail: 'Invalid address.' } };
  const score = state.scores.get(address.toLowerCase()) ?? '0.00000';
  const times = { last_score_timestamp: '2026-01-01T00:00:00Z', expiration_timestamp: null };
  return {
    body: {
      address: address.toLowerCase(),
      score,
      passing_score: Number(score) >= 20,
      threshold: '20.00000',
      ...times,
      error: null,
      stamps: {},
    },
  };
}
