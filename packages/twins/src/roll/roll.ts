import { type HttpTwin, startHttpTwin, type TwinAddress } from '../http-twin/index.ts';

export interface RollState {
  tokens: { symbol: string; name: string; contractAddress: string; decimals: number }[];
}

export interface RollTwin extends HttpTwin {
  state: RollState;
}

/** The list of Roll's social tokens. */
export async function startRollTwin(address: TwinAddress = {}): Promise<RollTwin> {
  const state: RollState = { tokens: [] };
  const twin = await startHttpTwin(
    ({ path }) => (path === '/v2/tokens' ? { body: state.tokens } : { status: 404, body: { message: 'Not Found' } }),
    address,
  );
  return { ...twin, state };
}
