import { type EmulatorAddress, type HttpEmulator, startHttpEmulator } from '../http-emulator/index.ts';

export interface ScoreState {
  apiKey: string;
  /** By subject and account in lower case, as in `swapscore/0x…`. All other accounts have zero. */
  amounts: Map<string, string>;
}

export interface ScoreEmulator extends HttpEmulator {
  state: ScoreState;
}

/** Starts a score service: one number per account. */
export async function startScoreEmulator(address: EmulatorAddress = {}): Promise<ScoreEmulator> {
  const state: ScoreState = { apiKey: 'score-key', amounts: new Map() };
  const emulator = await startHttpEmulator(({ path, headers }) => {
    if (headers.authorization !== `Bearer ${state.apiKey}`)
      return { status: 401, body: { error: 'This key is not known.' } };
    const [, subject, account] = /^\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    if (account === undefined) return { status: 404, body: { error: 'Ask for /{subject}/{account}.' } };
    return { body: { account, amount: state.amounts.get(`${subject}/${account}`.toLowerCase()) ?? '0' } };
  }, address);
  return { ...emulator, state };
}
