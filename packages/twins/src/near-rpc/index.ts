export { type NearContract, type NearRpcTwin, type NearState, type NearToken, startNearRpcTwin } from './near-rpc.ts';
