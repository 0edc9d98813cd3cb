export {
  type NearContract,
  type NearRpcEmulator,
  type NearState,
  type NearToken,
  startNearRpcEmulator,
} from './near-rpc.ts';
