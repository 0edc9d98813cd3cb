import {
  type HttpTwin,
  startHttpTwin,
  type TwinAddress,
  type TwinReply,
  type TwinRequest,
} from '../http-twin/index.ts';

export interface GalxeState {
  campaigns: Set<string>;
  claims: { campaign: string; address: string; count: number }[];
}

export interface GalxeTwin extends HttpTwin {
  state: GalxeState;
}

const form = /campaign\(id: \$(\w+)\)[\s\S]*whitelistInfo\(address: \$(\w+)\)/;

/** Galxe's GraphQL, as far as the participation of an address in a campaign goes. */
export async function startGalxeTwin(address: TwinAddress = {}): Promise<GalxeTwin> {
  const state: GalxeState = { campaigns: new Set(), claims: [] };
  const twin = await startHttpTwin((request) => answer(state, request), address);
  return { ...twin, state };
}

function answer(state: GalxeState, { method, body }: TwinRequest): TwinReply {
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
