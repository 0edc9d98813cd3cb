import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface GalxeState {
  campaigns: Set<string>;
  claims: { campaign: string; address: string; count: number }[];
}

export interface GalxeEmulator extends HttpEmulator {
  state: GalxeState;
}

const form = /campaign\(id: \$(\w+)\)[\s\S]*whitelistInfo\(address: \$(\w+)\)/;

/** Starts Galxe's GraphQL, as far as the participation of an address in a campaign goes. */
export async function startGalxeEmulator(address: EmulatorAddress = {}): Promise<GalxeEmulator> {
  const state: GalxeState = { campaigns: new Set(), claims: [] };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: GalxeState, { method, body }: EmulatorRequest): EmulatorReply {
  const { query, variables } = Object(body);
  if (method !== 'POST' || typeof query !== 'string')
    return { status: 400, body: { errors: [{ message: 'no operation provided' }] } };
  const [, idName, addressName] = form.exec(query) ?? [];
  if (idName === undefined || addressName === undefined) {
    return { status: 422, body: { errors: [{ message: 'Cannot query this field' }], data: null } };
  }
  const [id, address] = [String(Object(variables)[idName]), String(Object(variables)[addressName])];
  if (!state.campaigns.has(id)) return { body: { data: { campaign: null } } };
  const claim = state.claims.find((one) => one.campaign === id && one.address.toLowerCase() === address.toLowerCase());
  return {
    body: { data: { campaign: { id, whitelistInfo: { address, maxCount: 1, usedCount: claim?.count ?? 0 } } } },
  };
}
