import { type EmulatorAddress, type HttpEmulator, startHttpEmulator } from '../http-emulator/index.ts';

export interface RollState {
  tokens: { symbol: string; name: string; contractAddress: string; decimals: number }[];
}

export interface RollEmulator extends HttpEmulator {
  state: RollState;
}

/** Starts the list of Roll's social tokens. */
export async function startRollEmulator(address: EmulatorAddress = {}): Promise<RollEmulator> {
  const state: RollState = { tokens: [] };
  const emulator = await startHttpEmulator(
    ({ path }) => (path === '/v2/tokens' ? { body: state.tokens } : { status: 404, body: { message: 'Not Found' } }),
    address,
  );
  return { ...emulator, state };
}
